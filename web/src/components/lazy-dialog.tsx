import { useMounted } from '@mantine/hooks';
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';

interface DialogProps {
  readonly opened: boolean;
}

/** A dialog whose code is loaded when it is first opened. */
export function lazyDialog<Props extends DialogProps>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactNode {
  const Late = lazy(async () => ({ default: openedLater(await load()) }));
  return function LazyDialog(props) {
    const [isWanted, setWanted] = useState(props.opened);
    if (props.opened && !isWanted) setWanted(true);
    return (
      isWanted && (
        <Suspense fallback={null}>
          <Late {...props} />
        </Suspense>
      )
    );
  };
}

/** Opens the dialog after mounting, as one that is mounted open does not return the focus. */
function openedLater<Props extends DialogProps>(Dialog: ComponentType<Props>): ComponentType<Props> {
  return function Opened(props) {
    const isMounted = useMounted();
    return <Dialog {...props} opened={isMounted && props.opened} />;
  };
}
