import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

export const Notices = (): ReactNode => <Notifications className="notices" position="bottom-right" />;
