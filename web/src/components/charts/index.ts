export { Chart } from './chart';
export { formatNumber, formatShare } from './chart-data';
export { saveText, toCsv } from './csv';
export { type DataColumn, DataSection } from './data-section';
