import { fileWarnings } from './file-warnings';

describe('warnings about files', () => {
  it.each([[['a.jpg', 'folder/b.PNG', 'manifest.jsonl']], [['a.mp4']], [['a.pcd', 'a.bin']], [['a.zip']]])(
    'accepts %j',
    (names) => expect(fileWarnings(names)).toEqual([]),
  );

  it('names ignored files', () => {
    expect(fileWarnings(['a.jpg', 'notes.txt'])).toEqual([
      'notes.txt is not an image, video, archive, PDF or point cloud. It is ignored.',
    ]);
    expect(fileWarnings(['1.txt', '2.txt', '3.txt', '4.txt', 'a.svg'])).toEqual([
      '1.txt, 2.txt, 3.txt and 2 other files are not images, videos, archives, PDFs or point clouds. They are ignored.',
    ]);
  });

  it.each([
    [['a.jpg', 'clip.mov'], 'one video', 'clip.mov'],
    [['a.zip', 'b.zip'], 'one archive', 'a.zip'],
    [['a.pdf', 'b.png'], 'one PDF', 'a.pdf'],
  ])('warns that %j cannot be in one task', (names, what, named) => {
    const [warning] = fileWarnings(names);
    expect(warning).toContain(what);
    expect(warning).toContain(named);
  });
});
