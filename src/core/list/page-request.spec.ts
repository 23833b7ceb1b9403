import { describe, expect, it } from '@jest/globals';
import { NotFound } from '../http/errors/errors.js';
import { lastPage, offsetOf, pageLinks, pageRequest, parameter } from './page-request.js';

const URL = 'http://h/api/tasks';

describe('pageRequest', () => {
  it.each([
    [{}, 1, 10],
    [{ page: '', page_size: '' }, 1, 10],
    [{ page: '3', page_size: '25' }, 3, 25],
    [{ page: ' 2 ', page_size: '+7' }, 2, 7],
    [{ page: 'last' }, 'last', 10],
    [{ page_size: 'all' }, 1, Infinity],
    [{ page_size: 'ALL' }, 1, 10],
    [{ page_size: '0' }, 1, 10],
    [{ page_size: '-5' }, 1, 10],
    [{ page_size: '2.5' }, 1, 10],
    [{ page_size: '9'.repeat(30) }, 1, Infinity],
    [{ page: ['1', '2'] }, 2, 10],
    [{ page: { a: '2' } }, 1, 10],
  ])('%j', (query, page, size) => {
    expect(pageRequest(query)).toEqual({ page, size });
  });

  it.each(['0', '-1', 'x', '1.5', 'LAST', ' '])('refuses page %j', (page) => {
    expect(() => pageRequest({ page })).toThrow(new NotFound('Invalid page.'));
  });
});

describe('offsetOf', () => {
  it('counts the rows before a page', () => {
    expect([offsetOf(1, 10), offsetOf(3, 10), offsetOf(1, Infinity)]).toEqual([0, 20, 0]);
  });

  it.each([
    [2, Infinity],
    [1e30, 10],
    [Infinity, 1],
  ])('refuses page %d of size %d', (page, size) => {
    expect(() => offsetOf(page, size)).toThrow(NotFound);
  });
});

describe('lastPage', () => {
  it('is 1 for an empty list', () => {
    expect([lastPage(0, 10), lastPage(10, 10), lastPage(11, 10), lastPage(5, Infinity)]).toEqual([1, 1, 2, 1]);
  });
});

describe('pageLinks', () => {
  it('repeats the parameters, sorted by name', () => {
    expect(pageLinks(URL, { sort: '-id', page_size: '2' }, { page: 1, size: 2, count: 4 })).toEqual({
      next: `${URL}?page=2&page_size=2&sort=-id`,
      previous: null,
    });
  });

  it('omits the page parameter for the first page', () => {
    expect(pageLinks(URL, { page: '2', org: '' }, { page: 2, size: 10, count: 15 })).toEqual({
      next: null,
      previous: `${URL}?org=`,
    });
    expect(pageLinks(URL, { page: '2' }, { page: 2, size: 10, count: 25 })).toEqual({
      next: `${URL}?page=3`,
      previous: URL,
    });
  });

  it('uses form encoding, and repeats lists and an invalid page size', () => {
    const query = {
      filter: '{"in":["a b",{"var":"name"}]}',
      name: ["it's", '*~é'],
      page_size: 'x',
      odd: { nested: '1' },
    };
    expect(pageLinks(URL, query, { page: 1, size: 10, count: 11 }).next).toBe(
      `${URL}?filter=%7B%22in%22%3A%5B%22a+b%22%2C%7B%22var%22%3A%22name%22%7D%5D%7D&name=it%27s&name=%2A~%C3%A9&page=2&page_size=x`,
    );
  });
});

describe('parameter', () => {
  it('reads only own properties that are texts, and the last of several', () => {
    expect(parameter({ a: '1', b: ['1', '2'] }, 'b')).toBe('2');
    expect(parameter({}, 'toString')).toBe('');
    expect(parameter({ a: { b: '1' } }, 'a')).toBe('');
  });
});
