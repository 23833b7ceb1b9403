import { readable } from './readable';

describe('the message of a failed background request', () => {
  it.each([
    ["zipfile.BadZipFile: File is not a zip file: 'a.zip'", "File is not a zip file: 'a.zip'."],
    ['ValueError: No media data found', 'No media data found.'],
    ['cvat.apps.engine.task.UnknownError: Why?', 'Why?'],
    ['Exception: Item (a): only one', 'Item (a): only one.'],
    ['  The label cat: is unknown ', 'The label cat: is unknown.'],
    ['Error handling failed.', 'Error handling failed.'],
    ['', ''],
  ])('%j reads %j', (message, text) => expect(readable(message)).toBe(text));
});
