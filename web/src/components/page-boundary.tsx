import { Anchor, Container, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { ErrorPanel } from './error-panel';

interface BoundaryProps {
  /** A page that failed is tried again once this has changed. */
  readonly address: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly failure: { readonly error: unknown } | null;
  /** Where it failed, or did not. */
  readonly address: string;
}

/** React offers no hook for this. */
class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: null, address: this.props.address };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ address }: BoundaryProps, before: BoundaryState): BoundaryState | null {
    return address === before.address ? null : { failure: null, address };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    return (
      <Container size="sm" py="xl">
        <ErrorPanel error={failure.error} onRetry={() => window.location.reload()} />
      </Container>
    );
  }
}

/** Shows what went wrong in place of a page that failed; what is around it stays. */
export function PageBoundary({ children }: { readonly children: ReactNode }): ReactNode {
  const { key } = useLocation();
  return <Boundary address={key}>{children}</Boundary>;
}

export const UnknownPage = (): ReactNode => (
  <Container size="sm" py="xl">
    <Stack gap="xs">
      <Title order={1}>There is no such page</Title>
      <Text>
        The address may be mistyped.{' '}
        <Anchor component={Link} to="/projects">
          Go to the projects
        </Anchor>
      </Text>
    </Stack>
  </Container>
);
