/** A point of a skeleton. Coordinates are percentages of the image size. */
export interface Joint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** A skeleton: points, and edges between them by index. */
export interface Drawing {
  readonly joints: readonly Joint[];
  readonly edges: readonly (readonly [number, number])[];
}

/** Parses the SVG of a skeleton label. @param names of its sublabels */
export function readDrawing(svg: string, names: readonly string[]): Drawing {
  const root = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg">${svg}</svg>`, 'image/svg+xml');
  const circles = [...root.querySelectorAll('circle[data-type="element node"]')];
  const joints = circles.map((circle, index) => ({
    name: circle.getAttribute('data-label-name') ?? names[index] ?? String(index + 1),
    x: Number(circle.getAttribute('cx')),
    y: Number(circle.getAttribute('cy')),
  }));
  const ids = circles.map((circle) => circle.getAttribute('data-node-id'));
  const edges = [...root.querySelectorAll('line[data-type="edge"]')]
    .map(
      (line) =>
        [ids.indexOf(line.getAttribute('data-node-from')), ids.indexOf(line.getAttribute('data-node-to'))] as const,
    )
    .filter(([from, to]) => from >= 0 && to >= 0);
  return { joints, edges };
}

/** @returns the SVG as the server stores it and other tools read it */
export function writeDrawing({ joints, edges }: Drawing): string {
  const lines = edges.map(([from, to]) => {
    const [a, b] = [joints[from], joints[to]];
    if (a === undefined || b === undefined) return '';
    return `<line x1="${a.x}" y1="${a.y}" x2="${b.x}" y2="${b.y}" data-type="edge" data-node-from="${from + 1}" data-node-to="${to + 1}"></line>`;
  });
  const circles = joints.map(
    ({ name, x, y }, index) =>
      `<circle r="0.75" cx="${x}" cy="${y}" data-type="element node" data-element-id="${index + 1}" data-node-id="${index + 1}" data-label-name="${escape(name)}"></circle>`,
  );
  return [...lines, ...circles].join('');
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** @returns the skeleton without a point and its edges */
export function withoutJoint({ joints, edges }: Drawing, gone: number): Drawing {
  const moved = (index: number): number => (index > gone ? index - 1 : index);
  return {
    joints: joints.filter((_, index) => index !== gone),
    edges: edges.filter((edge) => !edge.includes(gone)).map(([from, to]) => [moved(from), moved(to)] as const),
  };
}

/** Adds the edge between two points, or removes it if it exists. */
export function withToggledEdge({ joints, edges }: Drawing, from: number, to: number): Drawing {
  const same = (edge: readonly [number, number]): boolean => edge.includes(from) && edge.includes(to);
  if (edges.some(same)) return { joints, edges: edges.filter((edge) => !same(edge)) };
  return { joints, edges: [...edges, [from, to]] };
}
