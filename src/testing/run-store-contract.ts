/** The contract of every store of runs. */

import { codeOf } from '../disk/disk-error.ts';
import type { Entry, JournalRecord } from '../store/record.ts';
import type { HeldRun, Message, RunStore } from '../store/run-store.ts';
import { contractsOf, must, type Contract, type Promises } from './contract.ts';

/** An empty store, as several processes see it. */
export interface StoreUnderTest {
  /** For the process of this pid, which lives. */
  as(pid: number): RunStore<unknown>;
  /** From now on the process is dead, or where nobody can see it. */
  lose(pid: number, how: 'dead' | 'unseen'): void;
}

export function runStoreContract(name: string, empty: () => StoreUnderTest): readonly Contract[] {
  return contractsOf(name, promises, empty);
}

const key = { workflow: 'first', run: 'add-limit' };
const [ada, ben, cyn] = [11, 12, 13];

const pause: Message = { kind: 'pause' };
const answerTo = (decision: string): Message => ({ kind: 'answer', decision, answer: 'yes', by: 'ada' });

const promises: Promises<StoreUnderTest> = {
  'an empty store lists no runs and reads none'(store) {
    const runs = store.as(ada);
    must(runs.list().length === 0, 'it lists runs');
    must(!runs.has(key), 'it has a run');
    must(runs.read(key) === undefined && runs.records(key) === undefined, 'it reads a run');
    must(runs.owner(key) === undefined, 'somebody owns a run');
    must(runs.notes()(key) === undefined, 'there is a note');
    must(!runs.withdraw(key, { kind: 'pause' }), 'withdraws a message that was not posted');
  },
  'a run exists from its first record on'(store) {
    const held = store.as(ada).open(key);
    must(held.length === 0, 'a new run has records');
    must(!store.as(ben).has(key), 'a run without a record is there');
    held.append(entry('first'));
    must(store.as(ben).has(key), 'a run with a record is not there');
  },
  'lists runs by workflow and name, each with its own folder'(store) {
    const keys = [key, { workflow: 'first', run: 'other' }, { workflow: 'second', run: 'add-limit' }];
    for (const each of keys) fill(store.as(ada).open(each), 1);
    const found = store.as(ben).list();
    const names = (all: typeof keys): string =>
      JSON.stringify(all.map((one) => `${one.workflow}/${one.run}`).toSorted());
    must(names([...found]) === names(keys), `it lists ${names([...found])}`);
    must(new Set(keys.map((each) => store.as(ada).folder(each))).size === keys.length, 'two runs share a folder');
  },
  'reads records in order, numbered without gaps, with ascending times'(store) {
    fill(store.as(ada).open(key), 3);
    const records = store.as(ben).records(key) ?? [];
    must(toolsOf(records) === 'tool-1 tool-2 tool-3', `the records are ${toolsOf(records)}`);
    for (const [index, { seq, at }] of records.entries()) {
      must(seq === index + 1, 'the numbers have gaps');
      must(at > (records[index - 1]?.at ?? ''), 'the times do not rise');
    }
    const { checkpoint, tail } = store.as(ben).read(key) ?? { checkpoint: null, tail: [] };
    must((checkpoint?.records ?? 0) + tail.length === 3, 'read gives other records');
  },
  'other readers see a record as soon as it is appended'(store) {
    const held = store.as(ada).open(key);
    for (let number = 1; number <= 3; number += 1) {
      const record = held.append(entry(`tool-${number}`));
      const last = store.as(ben).records(key)?.at(-1);
      must(JSON.stringify(last) === JSON.stringify(record), `record ${number} is read as ${JSON.stringify(last)}`);
      must(held.length === number && held.records.length === number, 'the holder counts otherwise');
    }
  },
  'the text of the journal contains all of its records'(store) {
    const held = store.as(ada).open(key);
    fill(held, 3);
    const lines = held.text().trimEnd().split('\n');
    must(lines.length === 3, 'the text has other lines');
    for (const [index, line] of lines.entries()) must(line.includes(`"tool-${index + 1}"`), 'the text is another');
  },
  async 'follow yields each record once, from a number on and as they are added'(store) {
    const held = store.as(ada).open(key);
    fill(held, 3);
    const heard: number[] = [];
    const stop = new AbortController();
    for await (const { seq } of store.as(ben).follow(key, { after: 1, signal: stop.signal })) {
      heard.push(seq);
      if (seq === 3) fill(held, 2);
      if (seq === 4) fill(held, 1);
      if (seq === 6) stop.abort();
    }
    must(heard.join(' ') === '2 3 4 5 6', `it heard ${heard.join(' ')}`);
  },
  async 'follow of a run that has not begun yields its first record'(store) {
    const stop = new AbortController();
    const first = (async () => {
      for await (const { seq } of store.as(ben).follow(key, { after: 0, signal: stop.signal })) return seq;
      return null;
    })();
    fill(store.as(ada).open(key), 1);
    must((await first) === 1, 'it heard another record');
    stop.abort();
  },
  'refuses a run that a live process holds, and names that process'(store) {
    const held = store.as(ada).open(key);
    must(store.as(ben).owner(key)?.pid === ada, 'the owner is another');
    const error = thrownBy(() => store.as(ben).open(key));
    must(codeOf(error) === 'RunLocked', `a second holder gets ${String(error)}`);
    must(String(error).includes(String(ada)), 'the owner is not named');
    held.close({ inOrder: true, state: null });
    must(store.as(ben).owner(key) === undefined, 'a run that was given free has an owner');
    store.as(ben).open(key);
  },
  'takes over a run from a dead process'(store) {
    store.as(ada).open(key);
    store.lose(ada, 'dead');
    must(store.as(ben).owner(key) === undefined, 'a dead process owns a run');
    store.as(ben).open(key);
  },
  'takes over from a process on another host only with force'(store) {
    store.as(ada).open(key);
    store.lose(ada, 'unseen');
    must(codeOf(thrownBy(() => store.as(ben).open(key))) === 'RunLocked', 'an unseen process does not hold its run');
    store.as(ben).open(key, { force: true });
    must(store.as(cyn).owner(key)?.pid === ben, 'the owner is another');
  },
  'a process that lost its lease cannot write, and does not affect the new holder'(store) {
    const lost = store.as(ada).open(key);
    fill(lost, 1);
    store.lose(ada, 'dead');
    const held = store.as(ben).open(key);
    must(codeOf(thrownBy(() => lost.append(entry('late')))) === 'LeaseLost', 'it still writes');
    lost.close({ inOrder: true, state: null });
    must(store.as(cyn).owner(key)?.pid === ben, 'closing disturbed the new holder');
    must(held.append(entry('next')).seq === 2, 'the new holder does not continue after the first record');
  },
  'each holder gets a higher epoch'(store) {
    const found = [ada, ben, cyn].map((pid) => {
      const held = store.as(pid).open(key);
      const { epoch } = held.append(entry('mine'));
      held.close({ inOrder: pid === ada, state: null });
      return epoch;
    });
    for (const [index, epoch] of found.entries())
      must(epoch > (found[index - 1] ?? 0), `the epochs are ${found.join(' ')}`);
  },
  'reports a run as in order only after a clean release'(store) {
    const ends = (pid: number, end: boolean | 'dead'): boolean => {
      const held = store.as(pid).open(key);
      if (end === 'dead') store.lose(pid, 'dead');
      else held.close({ inOrder: end, state: null });
      return held.foundInOrder;
    };
    const found = [ends(1, true), ends(2, false), ends(3, 'dead'), ends(4, true), ends(5, true)];
    must(found.join(' ') === 'false true false false true', `found in order: ${found.join(' ')}`);
  },
  'the first record after a clean release marks all earlier records as settled'(store) {
    const first = store.as(ada).open(key);
    must(first.append(entry('a')).settled === undefined, 'a first record says it');
    first.close({ inOrder: true, state: null });
    const second = store.as(ben).open(key);
    must(second.append(entry('b')).settled === true, 'it does not say so');
    must(second.append(entry('c')).settled === undefined, 'a later record says it');
    second.close({ inOrder: false, state: null });
    must(store.as(cyn).open(key).append(entry('d')).settled === undefined, 'it is said after a disorder');
  },
  'keeps one message of each kind until it is taken, and delivers it once'(store) {
    const held = store.as(ada).open(key);
    must(held.take('pause') === undefined, 'takes a message that was not posted');
    must(store.as(ben).post(key, pause), 'a message is refused');
    must(!store.as(cyn).post(key, pause), 'a second one of its kind is taken');
    must(held.take('cancel') === undefined, 'a message is taken for one of another kind');
    must(JSON.stringify(held.take('pause')) === JSON.stringify(pause), 'the message is another');
    must(held.take('pause') === undefined, 'it is taken twice');
  },
  'keeps answers to different decisions separately'(store) {
    const held = store.as(ada).open(key);
    for (const decision of ['UD-1', 'UD-2']) must(store.as(ben).post(key, answerTo(decision)), 'an answer is refused');
    const taken = [held.take('answer'), held.take('answer')].map((message) => `${message?.decision}`).toSorted();
    must(taken.join(' ') === 'UD-1 UD-2', `taken: ${taken.join(' ')}`);
  },
  'a message can be withdrawn before it is taken, and not after'(store) {
    const held = store.as(ada).open(key);
    store.as(ben).post(key, pause);
    must(store.as(ben).withdraw(key, pause), 'it cannot be withdrawn');
    must(held.take('pause') === undefined, 'a withdrawn message is taken');
    store.as(ben).post(key, pause);
    held.take('pause');
    must(!store.as(ben).withdraw(key, pause), 'it is withdrawn after it was taken');
  },
  'drops messages of one kind, or all'(store) {
    const held = store.as(ada).open(key);
    for (const message of [pause, answerTo('UD-1')]) store.as(ben).post(key, message);
    held.drop('answer');
    must(held.take('answer') === undefined, 'it is there after it was dropped');
    held.drop();
    must(held.take('pause') === undefined, 'not all are dropped');
  },
  'a note is valid only for the journal it was written for'(store) {
    const held = store.as(ada).open(key);
    fill(held, 1);
    held.keepNote('ünï\t"x"');
    must(store.as(ben).notes()(key) === 'ünï\t"x"', 'the note is another');
    fill(held, 1);
    must(store.as(ben).notes()(key) === undefined, 'a note counts for a longer journal');
    held.keepNote('');
    must(store.as(ben).notes()(key) === '', 'an empty note is none');
    const made = store.as(ben).makeNote(key, ({ tail }) => `of ${tail.length}`);
    must(made === store.as(ada).notes()(key), 'the note that was made is not kept');
    must(store.as(ben).makeNote({ ...key, run: 'none' }, () => 'x') === undefined, 'there is a note of no run');
  },
  'one process at a time holds a lock, until it releases it or dies'(store) {
    const held = store.as(ada).lock('all');
    must(held !== undefined, 'a free lock is not given');
    must(store.as(ben).lock('all') === undefined, 'two processes hold one lock');
    must(store.as(ben).lock('other') !== undefined, 'one lock blocks another');
    held?.release();
    must(store.as(ben).lock('all') !== undefined, 'a released lock is not given');
    store.lose(ben, 'dead');
    must(store.as(cyn).lock('all') !== undefined, 'a dead process holds a lock');
    must(store.as(cyn).list().length === 0, 'a lock is listed as a run');
  },
};

function entry(tool: string): Entry {
  return { type: 'report.filed', dispatch: 'd#1', tool, args: { text: 'ünï\n"x"' } };
}

function fill(held: HeldRun<unknown>, many: number): void {
  for (let number = 0; number < many; number += 1) held.append(entry(`tool-${held.length + 1}`));
}

function toolsOf(records: readonly JournalRecord[]): string {
  return records.map((record) => (record.type === 'report.filed' ? record.tool : record.type)).join(' ');
}

function thrownBy(deed: () => unknown): unknown {
  try {
    deed();
  } catch (error) {
    return error;
  }
  return undefined;
}
