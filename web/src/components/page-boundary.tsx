import { Anchor, Container, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { ErrorPanel } from './error-panel';

interface BoundaryProps {
  /** Resets the error when it changes. */
  readonly location: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly failure: { readonly error: unknown } | null;
  /** The location that the state belongs to. */
  readonly location: string;
}

/** Error boundaries have no hook in React. */
class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: null, location: this.props.location };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ location }: BoundaryProps, before: BoundaryState): BoundaryState | null {
    return location === before.location ? null : { failure: null, location };
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

/** Shows the error in place of a page that failed to render. The layout around it stays. */
export function PageBoundary({ children }: { readonly children: ReactNode }): ReactNode {
  const { key } = useLocation();
  return <Boundary location={key}>{children}</Boundary>;
}

export const UnknownPage = (): ReactNode => (
  <Container size="sm" py="xl">
    <Stack gap="xs">
      <Title order={1}>Page not found</Title>
      <Text>
        Check the URL, or{' '}
        <Anchor component={Link} to="/projects">
          go to the projects
        </Anchor>
        .
      </Text>
    </Stack>
  </Container>
);
