import { describe, expect, it } from '@jest/globals';
import type { Discovery } from '../../core/discovery/discovery.js';
import type { StoredEvent } from '../../core/events/event-map.js';
import { Representations } from '../../core/versioning/representations.js';
import { toMessage } from './cloud-event.js';

const representations = new Representations({ methods: () => [] } as unknown as Discovery);
const publisher = { name: 'a1b2', publicUrl: '', maxBytes: 1000 };
const event: StoredEvent = {
  id: 17,
  name: 'update:job',
  objectId: '5',
  sender: null,
  organizationId: null,
  projectId: 3,
  occurredAt: '2026-01-01T00:00:00Z',
  after: { object: { url: 'http://x/api/jobs/5', id: 5, state: 'completed' } },
  before: { object: { url: 'http://x/api/jobs/5', id: 5, state: 'new' } },
};

describe('the message of an event', () => {
  it('is a CloudEvent with the payload of webhooks', () => {
    const { body, ...message } = toMessage(event, publisher, representations);
    expect(message).toEqual({ id: 'a1b2-17', key: 'job/5', topic: 'job.update' });
    expect(JSON.parse(body)).toEqual({
      specversion: '1.0',
      id: '17',
      source: 'urn:uuid:a1b2',
      type: 'update:job',
      subject: 'job/5',
      time: '2026-01-01T00:00:00Z',
      datacontenttype: 'application/json',
      apiversion: '2.2',
      partitionkey: 'job/5',
      projectid: 3,
      data: {
        event: 'update:job',
        job: event.after.object,
        sender: null,
        before_update: { state: 'new' },
        changes: { state: { from: 'new', to: 'completed' } },
      },
    });
  });

  it('has the URL of the server, the organization and the trace, if they are known', () => {
    const of = { ...event, organizationId: 2, traceparent: '00-a-b-01' };
    const { body } = toMessage(of, { ...publisher, publicUrl: 'https://cairn.example.org' }, representations);
    expect(JSON.parse(body)).toMatchObject({
      source: 'https://cairn.example.org',
      organizationid: 2,
      traceparent: '00-a-b-01',
    });
  });

  it('names only the object if it cannot be shown', () => {
    const broken = { ...event, after: { object: null }, before: { object: null } } as unknown as StoredEvent;
    expect((JSON.parse(toMessage(broken, publisher, representations).body) as { data: unknown }).data).toEqual({
      event: 'update:job',
      job: { id: '5' },
      sender: null,
    });
  });

  it('names only the object and the changed fields if it would be too long', () => {
    const long = { ...event, after: { object: { ...event.after.object, state: 'ä'.repeat(500) } } };
    const { body } = toMessage(long, publisher, representations);
    expect((JSON.parse(body) as { data: unknown }).data).toEqual({
      event: 'update:job',
      job: { url: 'http://x/api/jobs/5', id: 5 },
      sender: null,
      changed_fields: ['state'],
    });
  });

  it('has a subject without the type of a request', () => {
    const { topic, key } = toMessage(
      { ...event, name: 'completed:request[create:task]', objectId: 'action=create' },
      publisher,
      representations,
    );
    expect([topic, key]).toEqual(['request.completed', 'request/action=create']);
  });
});
