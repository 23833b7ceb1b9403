import type { Webhook } from '../../app/api';
import { InvalidInput } from '../../app/invalid-input';
import { secondsOf, waitsOf } from './waits';

export type WebhookEvent = Webhook['events'][number];
export type WebhookType = Webhook['type'];
/** What happens to the secret: it is kept as it is, made by the server, typed, or taken away. */
export type SecretChoice = 'keep' | 'generate' | 'own' | 'none';

export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

/** What the form shows, as it is typed. */
export interface WebhookValues {
  readonly target_url: string;
  readonly description: string;
  readonly content_type: 'application/json';
  readonly enable_ssl: boolean;
  readonly is_active: boolean;
  readonly everything: boolean;
  readonly events: readonly WebhookEvent[];
  readonly secretChoice: SecretChoice;
  readonly secret: string;
  readonly api_version: Webhook['api_version'];
  /** JSON; empty for none. */
  readonly filter: string;
  readonly payload: Webhook['payload'];
  readonly batch_window: number | null;
  readonly ordered: boolean;
  /** Waits with their units, separated by commas; empty for the server's. */
  readonly retry_schedule: string;
  readonly timeout: number | null;
  readonly rate_limit: number | null;
  readonly max_concurrency: number | null;
  readonly custom_headers: readonly HeaderLine[];
}

export const NEW_WEBHOOK: WebhookValues = {
  target_url: '',
  description: '',
  content_type: 'application/json',
  enable_ssl: true,
  is_active: true,
  everything: true,
  events: [],
  secretChoice: 'generate',
  secret: '',
  api_version: '2.2',
  filter: '',
  payload: 'full',
  batch_window: null,
  ordered: false,
  retry_schedule: '',
  timeout: null,
  rate_limit: null,
  max_concurrency: null,
  custom_headers: [],
};

/** @param known the events that such webhooks can be told of */
export function valuesOf(webhook: Webhook, known: readonly WebhookEvent[]): WebhookValues {
  const { filter, retry_schedule: schedule, custom_headers: headers } = webhook;
  return {
    target_url: webhook.target_url,
    description: webhook.description,
    content_type: 'application/json',
    enable_ssl: webhook.enable_ssl,
    is_active: webhook.is_active,
    everything: known.every((event) => webhook.events.includes(event)),
    events: webhook.events,
    secretChoice: 'keep',
    secret: '',
    api_version: webhook.api_version,
    filter: filter === null ? '' : JSON.stringify(filter, null, 2),
    payload: webhook.payload,
    batch_window: webhook.batch_window,
    ordered: webhook.ordered,
    retry_schedule: schedule === null ? '' : waitsOf(schedule),
    timeout: webhook.timeout,
    rate_limit: webhook.rate_limit,
    max_concurrency: webhook.max_concurrency,
    custom_headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  };
}

/**
 * The settings in the form of the wire.
 * @throws InvalidInput naming every field that cannot be sent
 */
export function settingsOf(values: WebhookValues, known: readonly WebhookEvent[]): Record<string, unknown> {
  const { everything, events, secretChoice, secret, filter, retry_schedule, custom_headers, ...plain } = values;
  const problems: Record<string, string> = {};
  const read = (field: string, text: string, parse: (text: string) => unknown): unknown => {
    if (text.trim() === '') return null;
    try {
      return parse(text);
    } catch (error) {
      problems[field] = error instanceof SyntaxError ? `This is no JSON: ${error.message}` : (error as Error).message;
      return null;
    }
  };
  const chosen = everything ? known : events;
  if (chosen.length === 0) problems['events'] = 'Choose at least one event.';
  const settings = {
    ...plain,
    target_url: plain.target_url.trim(),
    events: chosen.toSorted(),
    filter: read('filter', filter, JSON.parse),
    retry_schedule: read('retry_schedule', retry_schedule, secondsOf),
    custom_headers: headersOf(custom_headers, problems),
    ...(secretChoice === 'own' ? { secret } : secretChoice === 'none' ? { secret: '' } : {}),
    ...(secretChoice === 'generate' ? { generate_secret: true } : {}),
  };
  if (Object.keys(problems).length > 0) throw new InvalidInput(problems);
  return settings;
}

function headersOf(lines: readonly HeaderLine[], problems: Record<string, string>): Record<string, string> {
  const named = lines
    .map(({ name, value }) => ({ name: name.trim(), value }))
    .filter(({ name, value }) => name !== '' || value !== '');
  const lower = named.map(({ name }) => name.toLowerCase());
  const twice = lower.find((name, at) => lower.indexOf(name) !== at);
  if (twice !== undefined) problems['custom_headers'] = `"${twice}" is there twice.`;
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

/** Only what differs between two forms of the wire. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}
