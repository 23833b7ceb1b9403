import { readable } from './readable';

describe('the message of a failed background request', () => {
  it.each([
    ["zipfile.BadZipFile: File is not a zip file: 'a.zip'", "File is not a zip file: 'a.zip'."],
    ['ValueError: No media data found', 'No media data found.'],
    ['cvat.apps.engine.task.UnknownError: Why?', 'Why?'],
    ['Exception: Item (a): only one', 'Item (a): only one.'],
    ['  The label cat: is unknown ', 'The label cat: is unknown.'],
    [
      "rest_framework.exceptions.ValidationError: [ErrorDetail(string='Point clouds cannot be added', code='invalid')]",
      'Point clouds cannot be added.',
    ],
    [`[ErrorDetail(string="It's \\n one", code='invalid'), ErrorDetail(string='two', code='x')]`, "It's \n one two."],
    ["[ErrorDetail(string='\\\\ \\'\\xe9\\u20ac', code='invalid')]", "\\ 'é€."],
    ["FileNotFoundError: [Errno 2] No such file or directory: 'a.png'", "No such file or directory: 'a.png'."],
    ['Error handling failed.', 'Error handling failed.'],
    ['', ''],
  ])('%j reads %j', (message, text) => expect(readable(message)).toBe(text));
});
