/** The time in the usual name of a file, in UTC: `2026_11_21_08_33_38`. */
export const timeInName = (time: Date): string => time.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '_');
