/**
 * @typedef {object} Finding
 * @property {'ok' | 'warning' | 'broken'} state
 * @property {string} found what is there, as one sentence without a full stop
 * @property {string} [fix] what to do about it; every warning and every fault has one
 */

/**
 * @typedef {object} Examination
 * @property {string} part what is looked at
 * @property {() => Finding | Promise<Finding>} look
 */

/**
 * @param {string} found
 * @returns {Finding}
 */
export const ok = (found) => ({ state: 'ok', found })

/**
 * @param {string} found
 * @param {string} fix
 * @returns {Finding}
 */
export const warning = (found, fix) => ({ state: 'warning', found, fix })

/**
 * @param {string} found
 * @param {string} fix
 * @returns {Finding}
 */
export const broken = (found, fix) => ({ state: 'broken', found, fix })
