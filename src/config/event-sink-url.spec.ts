import { describe, expect, it } from '@jest/globals';
import { parseEventSink } from './event-sink-url.js';

const NATS = {
  kind: 'nats',
  tls: false,
  servers: ['broker:4222'],
  channel: 'cairn',
  stream: 'CAIRN',
  user: '',
  password: '',
  sasl: 'plain',
  ca: '',
  cert: '',
  key: '',
  credentials: '',
  nkey: '',
};

describe('the URL of the event sink', () => {
  it.each([
    ['nats://broker', {}],
    [
      'nats://broker:4300/work.cairn?stream=EVENTS',
      { servers: ['broker:4300'], channel: 'work.cairn', stream: 'EVENTS' },
    ],
    ['tls://a,b:1,[::1]:2/', { tls: true, servers: ['a:4222', 'b:1', '[::1]:2'] }],
    ['nats://ann:p%40ss%3A@broker', { user: 'ann', password: 'p@ss:' }],
    ['nats://token@broker?ca=/etc/ca.pem', { user: 'token', ca: '/etc/ca.pem' }],
    ['nats://broker?credentials=/etc/cairn.creds', { credentials: '/etc/cairn.creds' }],
    ['nats://broker?nkey=/etc/cairn.nk', { nkey: '/etc/cairn.nk' }],
    ['kafka://k1,k2:9093/events', { kind: 'kafka', servers: ['k1:9092', 'k2:9093'], channel: 'events', stream: '' }],
    [
      'kafka+ssl://ann:secret@k/?sasl=scram-sha-512',
      {
        kind: 'kafka',
        tls: true,
        servers: ['k:9092'],
        stream: '',
        user: 'ann',
        password: 'secret',
        sasl: 'scram-sha-512',
      },
    ],
  ])('reads %s', (text, parts) => expect(parseEventSink(text)).toEqual({ ...NATS, ...parts }));

  it.each([
    ['http://broker', 'must be a URL that starts with nats://, tls://, kafka:// or kafka+ssl://'],
    ['nats://', 'must name a server, such as nats://broker.example.org:4222'],
    ['nats:///cairn', 'must name a server, such as nats://broker.example.org:4222'],
    ['kafka+ssl://ann:secret@/cairn', 'must name a server, such as kafka+ssl://broker.example.org:9092'],
    ['nats://broker:70000', 'must name its servers as host:port, separated by commas'],
    ['nats://broker/a b', 'must have a path of letters, digits, -, _ and dots, such as /cairn'],
    ['nats://broker/cairn.>', 'must have a path of letters, digits, -, _ and dots, such as /cairn'],
    ['nats://broker?stream=a.b', 'must name a stream of letters, digits, - and _'],
    ['nats://broker?sasl=plain', 'has an unknown parameter "sasl"; use stream, ca, cert, key, credentials, nkey'],
    ['nats://ann:12?secret@broker', 'has an unknown parameter; use stream, ca, cert, key, credentials, nkey'],
    ['nats://ann:secret@broker?nkey=/a', 'must have only one of a user name or token, credentials and nkey'],
    ['nats://broker?nkey=/a&credentials=/b', 'must have only one of a user name or token, credentials and nkey'],
    ['kafka://broker?sasl=gssapi', 'must have one of these values as sasl: plain, scram-sha-256, scram-sha-512'],
    ['kafka://ann@broker', 'must have both a user name and a password, or neither'],
    ['nats://%zz@broker', 'must have percent-encoded user name and password'],
    ['nats://broker?cert=/a', 'must have both cert and key, or neither'],
  ])('refuses %s', (text, problem) => expect(parseEventSink(text)).toBe(problem));
});
