import { Anchor, Container, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { isRouteErrorResponse, Link, useRouteError } from 'react-router';
import { ErrorPanel } from './error-panel';

/** What is shown instead of a page that failed, or that there is none of. */
export function RouteError(): ReactNode {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <UnknownPage />;
  return (
    <Container size="sm" py="xl">
      <ErrorPanel error={error} onRetry={() => window.location.reload()} />
    </Container>
  );
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
