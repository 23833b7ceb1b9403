import { type DestinationStream, pino } from 'pino';
import { isMember } from '../process-group/membership.js';

export type Logger = pino.Logger;

/**
 * Writes JSON lines and removes secrets by field name. Processes of a group add their `pid`.
 * @param context returns the fields that each message gets
 * @param destination default: standard error
 */
export function plainLogger(
  level: string,
  context: () => object = () => ({}),
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: isMember() ? { pid: process.pid } : null,
      mixin: context,
      serializers: { err: describeError },
      redact: {
        paths: [
          'password',
          '*.password',
          'secret',
          '*.secret',
          'authorization',
          '*.authorization',
          '*.cookie',
          'token',
          '*.token',
        ],
        censor: '[hidden]',
      },
    },
    destination,
  );
}

/** An error without the request and response that HTTP clients attach: their headers and bodies contain secrets. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const hidden = { config: undefined, request: undefined, response: undefined };
  return { ...pino.stdSerializers.err(error), ...hidden };
}
