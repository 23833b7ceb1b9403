import type { ReactNode } from 'react';
import type { Activity, ActivityFigures } from '../../app/api';
import { Chart, type DataColumn, DataSection } from '../../components/charts';
import { displayName } from '../../components/person';
import { FIGURES, type FigureName } from './figures';

const MAX_BARS = 15;

const COLUMNS: readonly DataColumn<ActivityFigures>[] = FIGURES.map(({ title, of, format }) => ({
  title,
  value: of,
  show: (row) => {
    const value = of(row);
    return value === null ? '–' : format(value);
  },
}));

const figureOf = (name: FigureName): (typeof FIGURES)[number] =>
  FIGURES.find((each) => each.name === name) ?? FIGURES[0];

interface SectionProps {
  readonly figure: FigureName;
  /** Of the downloaded file, without its extension. */
  readonly fileName: string;
}

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

export function Days({ days, figure, fileName }: SectionProps & { readonly days: Activity['days'] }): ReactNode {
  const { title, of, format } = figureOf(figure);
  return (
    <DataSection
      title="By day"
      rows={days.toReversed()}
      columns={[{ title: 'Day', value: ({ date }) => date }, ...COLUMNS]}
      keyOf={({ date }) => date}
      minWidth={680}
      fileName={fileName}
      chart={
        <Chart
          kind="lines"
          label={`${title} by day. The table has the numbers.`}
          categories={days.map(({ date }) => day.format(new Date(date)))}
          series={[{ title, values: days.map(of) }]}
          format={format}
        />
      }
      empty="No days."
    />
  );
}

export function People({ people, figure, fileName }: SectionProps & { readonly people: Activity['users'] }): ReactNode {
  const { title, of, format } = figureOf(figure);
  const nameOf = ({ user }: Activity['users'][number]): string =>
    user === null ? 'Deleted account' : displayName(user);
  const first = people.slice(0, MAX_BARS);
  return (
    <DataSection
      title="By person"
      text={people.length > MAX_BARS ? `The chart shows the first ${MAX_BARS} people of the table.` : undefined}
      rows={people}
      columns={[{ title: 'Person', value: nameOf, isText: true }, ...COLUMNS]}
      keyOf={({ user }) => user?.id ?? 0}
      minWidth={680}
      fileName={fileName}
      chart={
        <Chart
          kind="bars"
          label={`${title} by person. The table has the numbers.`}
          categories={first.map(nameOf)}
          series={[{ title, values: first.map(of) }]}
          format={format}
        />
      }
      empty="Nobody worked in this project in these days."
    />
  );
}
