/**
 * ESLint rules for the wording of comments and test titles. They check some of the writing rules in CONTRIBUTING.md, as
 * far as a program can.
 */

const OPENINGS = /^(What|Whether|Of|Those|Whose|As|With|By|Up to|That)\b/;
/** Words that begin a clause without a subject. */
const FRAGMENT = /^(what|whether|of|those|whose|who|which|that|as|with|by|up to|and|but|also|nor|neither)\b/i;
const FEWEST_WORDS = 3;
/** The members of `it` and `test` that take a title. */
const MODIFIERS = ['only', 'skip', 'each', 'failing', 'concurrent'];

const messages = {
  docstring: 'Begin a docstring with a verb («Returns …») or a noun («A pass …»), not with «{{ word }}».',
  fragment: 'A test title is a sentence with its subject: «{{ word }}» begins a part of one.',
  short: 'A test title is a sentence: «{{ word }}» does not say what holds.',
};

/**
 * Returns the problem of a comment, or null.
 *
 * @param {string} text without its delimiters
 */
function docstringProblem(text) {
  if (!text.startsWith('*')) return null;
  const word = OPENINGS.exec(text.replace(/^[\s*]+/, ''))?.[1];
  return word ? { messageId: 'docstring', data: { word } } : null;
}

/**
 * Returns the problem of a title, or null. A title with a placeholder of `it.each` may be short.
 * @param {string} title
 */
function titleProblem(title) {
  const word = FRAGMENT.exec(title)?.[1];
  if (word) return { messageId: 'fragment', data: { word } };
  const isFilledIn = /[%$]/.test(title);
  if (!isFilledIn && title.trim().split(/\s+/).length < FEWEST_WORDS)
    return { messageId: 'short', data: { word: title } };
  return null;
}

/** @type {import('eslint').Rule.RuleModule} */
const docstringOpening = {
  meta: { type: 'suggestion', messages, schema: [] },
  create: (context) => ({
    Program: () => {
      for (const { type, value, loc } of context.sourceCode.getAllComments()) {
        const problem = type === 'Block' ? docstringProblem(value) : null;
        if (problem) context.report({ loc, ...problem });
      }
    },
  }),
};

/** @type {import('eslint').Rule.RuleModule} */
const testTitle = {
  meta: { type: 'suggestion', messages, schema: [] },
  create: (context) => ({
    CallExpression: (node) => {
      const [title] = node.arguments;
      if (!isTest(node.callee) || title?.type !== 'Literal' || typeof title.value !== 'string') return;
      const problem = titleProblem(title.value);
      if (problem) context.report({ node: title, ...problem });
    },
  }),
};

/**
 * Accepts `it`, `test`, `it.only`, `it.each(…)` and the like.
 *
 * @param {any} callee
 */
function isTest(callee) {
  if (callee.type === 'CallExpression') return isTest(callee.callee);
  if (callee.type === 'TaggedTemplateExpression') return isTest(callee.tag);
  if (callee.type === 'MemberExpression') return MODIFIERS.includes(callee.property.name) && isTest(callee.object);
  return callee.type === 'Identifier' && /^(it|test)$/.test(callee.name);
}

const rules = { 'docstring-opening': docstringOpening, 'test-title': testTitle };
module.exports = { rules };
