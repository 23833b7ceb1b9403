import { declareEvents } from '../../core/events/event-declaration.js';
import { SavedAnnotationsDto } from './history/revision.dto.js';

declare module '../../core/events/event-map.js' {
  interface EventMap {
    'update:annotations': StoredEvent<SavedAnnotationsDto>;
  }
}

declareEvents({
  resource: 'annotations',
  object: SavedAnnotationsDto,
  operations: { update: 'Annotations of a job or task are saved. The payload lists the changed objects' },
});
