// A detector, an interactor and a tracker that speak Nuclio's protocol, for tests. Their results are easy to predict.
import { createServer } from 'node:http';

const DESCRIPTIONS = [
  {
    id: 'boxes',
    type: 'detector',
    name: 'Boxes',
    description: 'Finds a cat and its face in every image.',
    url: '/detect',
    spec: [
      {
        name: 'cat',
        type: 'rectangle',
        attributes: [{ name: 'coat', input_type: 'select', values: ['tabby', 'black'] }],
      },
      { name: 'Face', type: 'mask' },
      { name: 'blurred', type: 'tag' },
      { name: 'dog', type: 'any' },
    ],
  },
  {
    id: 'squares',
    type: 'interactor',
    name: 'Squares',
    version: 2,
    url: '/segment',
    min_pos_points: 1,
    min_neg_points: 0,
    startswith_box_optional: true,
  },
  { id: 'shifts', type: 'tracker', name: 'Shifts', url: '/track', supported_shape_types: 'rectangle,polygon' },
];

/** How far the tracker moves objects from one frame to the next. */
export const SHIFT = 10;
/** Half the edge of the square around a click. */
export const RADIUS = 20;
const COAT = [{ name: 'coat', value: 'black' }];
const FACE = [40, 30, 49, 34];

function detect() {
  return [
    { label: 'cat', type: 'rectangle', points: [100, 50, 300, 250], attributes: COAT, confidence: '0.75' },
    {
      label: 'Face',
      type: 'mask',
      mask: [...Array.from({ length: 50 }, () => 1), ...FACE],
      points: [40, 30, 49, 30, 49, 34],
    },
    { label: 'blurred', type: 'tag' },
    { label: 'dog', type: 'rectangle', points: [0, 0, 5, 5] },
  ];
}

/** A square around the last click, without the pixels left of the last click that excludes. */
function segment({ pos_points: positive, neg_points: negative, obj_bbox: box }) {
  const [x, y] = (positive.at(-1) ?? box[0]).map(Math.round);
  const left = negative.length === 0 ? x - RADIUS : Math.round(negative.at(-1)[0]);
  const row = Array.from({ length: x + RADIUS - left + 1 }, () => 255);
  return {
    mask: Array.from({ length: 2 * RADIUS + 1 }, () => row),
    bounds: [left, y - RADIUS, x + RADIUS, y + RADIUS],
  };
}

/** The state of an object is the object itself. */
function track({ shapes, states }) {
  if (states.length === 0) return { shapes, states: shapes };
  const moved = states.map(({ type, points }) => ({
    type,
    points: points.map((value, at) => (at % 2 === 0 ? value + SHIFT : value)),
  }));
  return { shapes: moved, states: moved };
}

const ANSWERS = { '/detect': detect, '/segment': segment, '/track': track };

/**
 * Starts the functions.
 * @returns their `url`, the paths that were `called`, `before`, which can delay or fail calls, and other `responses` by path
 */
export async function startFunctions() {
  const functions = { called: [], responses: {}, before: async () => undefined, url: '', stop: () => undefined };
  const respond = async (request, response) => {
    const send = (status, body) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.method === 'GET') return send(200, DESCRIPTIONS);
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    functions.called.push(request.url);
    const status = (await functions.before(request.url)) ?? 200;
    const answer = () =>
      functions.responses[request.url] ?? ANSWERS[request.url](JSON.parse(Buffer.concat(chunks).toString()));
    return send(status, status === 200 ? answer() : {});
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  functions.url = `http://127.0.0.1:${server.address().port}/`;
  functions.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return functions;
}
