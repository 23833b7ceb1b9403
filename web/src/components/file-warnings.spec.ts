import { fileWarnings } from './file-warnings';

describe('warnings about files', () => {
  it.each([[['a.jpg', 'folder/b.PNG', 'manifest.jsonl']], [['a.mp4']], [['a.pcd', 'a.bin']], [['a.zip']]])(
    '%j are fine',
    (names) => expect(fileWarnings(names)).toEqual([]),
  );

  it('names what becomes no frame', () => {
    expect(fileWarnings(['a.jpg', 'notes.txt'])).toEqual([
      'notes.txt is not an image, video, archive, PDF or point cloud. The server creates no frames from it.',
    ]);
    expect(fileWarnings(['1.txt', '2.txt', '3.txt', '4.txt', 'a.svg'])).toEqual([
      '1.txt, 2.txt, 3.txt and 2 other files are not images, videos, archives, PDFs or point clouds. The server creates no frames from them.',
    ]);
  });

  it.each([
    [['a.jpg', 'clip.mov'], 'one video', 'clip.mov'],
    [['a.zip', 'b.zip'], 'one archive', 'a.zip'],
    [['a.pdf', 'b.png'], 'one PDF', 'a.pdf'],
  ])('%j cannot be one task', (names, what, named) => {
    const [warning] = fileWarnings(names);
    expect(warning).toContain(what);
    expect(warning).toContain(named);
  });
});
