// What the key of this tab may do.

import { get } from './api.js';

let granted = null;

// learn asks what the key may do. It throws the refusal of a key that may do nothing;
// what was known of the key before stays.
export async function learn() {
  granted = await get('/cluster/rights').catch((error) => {
    if (error.status !== 404) throw error;
    return { actions: null, indexes: ['*'] }; // an older node, whose refusals will tell
  });
}

// may tells whether the key holds an action; '*' is all of them, on all indexes.
export const may = (action) => granted !== null && (granted.actions === null || granted.actions.includes(action));

// patterns are those of the indexes that the key covers: names, or beginnings with *.
export const patterns = () => granted?.indexes ?? [];

// says tells a person what the key may do.
export function says() {
  if (granted === null) return 'This key may do nothing here.';
  const where = patterns().includes('*') ? 'all indexes' : patterns().join(', ');
  return `This key may do only this: ${granted.actions?.join(', ')} (${where}).`;
}
