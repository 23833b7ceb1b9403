import { Avatar, Group, Popover, Stack, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Presence } from '../../../app/api';
import { useUser } from '../../../app/session';
import { counted } from '../../../components/counted';
import { displayName, Person } from '../../../components/person';
import { TimeAgo } from '../../../components/time-ago';
import { listed, YOU_ELSEWHERE } from './others';
import classes from './people.module.css';

const MAX_AVATARS = 3;

/** The other people who have the job open, and other windows of this user. */
export function People({ people }: { readonly people: Presence['people'] }): ReactNode {
  const me = useUser();
  // This window is one of the user's.
  const others = people.filter(({ user, windows }) => user.id !== me.id || windows > 1);
  const nameOf = ({ user }: Presence['people'][number]): string =>
    user.id === me.id ? YOU_ELSEWHERE : displayName(user);
  const text = `Also in this job: ${listed(others.map(nameOf))}`;
  return (
    <>
      <span className="visually-hidden" aria-live="polite">
        {others.length > 0 && text}
      </span>
      {others.length > 0 && (
        <Popover position="bottom-end" withArrow shadow="md" trapFocus>
          <Popover.Target>
            <UnstyledButton className={classes['people'] ?? ''} title={text}>
              <span className="visually-hidden">{text}</span>
              <Avatar.Group spacing={6} aria-hidden>
                {others.slice(0, MAX_AVATARS).map(({ user }) => (
                  <Avatar
                    key={user.id}
                    size={26}
                    radius="xl"
                    color="slate"
                    variant="filled"
                    name={displayName(user)}
                    alt=""
                  />
                ))}
                {others.length > MAX_AVATARS && (
                  <Avatar size={26} radius="xl">
                    +{others.length - MAX_AVATARS}
                  </Avatar>
                )}
              </Avatar.Group>
            </UnstyledButton>
          </Popover.Target>
          <Popover.Dropdown>
            <Stack gap={8} className={classes['list'] ?? ''} tabIndex={0}>
              <Text size="sm" fw={600}>
                Also in this job
              </Text>
              {others.map(({ user, since_date: since, windows }) => (
                <Group key={user.id} justify="space-between" gap={16} wrap="nowrap">
                  <Person user={user} />
                  <Text size="xs" c="dimmed" textWrap="nowrap">
                    {user.id === me.id ? `You, in ${counted(windows, 'window')}` : <TimeAgo date={since} />}
                  </Text>
                </Group>
              ))}
            </Stack>
          </Popover.Dropdown>
        </Popover>
      )}
    </>
  );
}
