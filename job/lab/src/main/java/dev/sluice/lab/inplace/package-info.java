/**
 * Rule sets that change in place while they are looked up, in the structure of an algorithm that
 * can, on the CPU and on a device: for comparisons with the papers. The engine has versions instead
 * ({@link dev.sluice.engine.versions}), for every algorithm.
 *
 * <pre>
 *  delta ─▶ slots and ranks given ─▶ journal ─▶ idle copy ─▶ published ─▶ then the other copy
 * </pre>
 *
 * <p>There are two copies of what look-ups read, so that readers never wait and always see one
 * version: a delta is applied to the copy that nobody looks into, then this copy is published
 * ({@code TwoCopies} has the proof). The other copy follows: where the structure lies in one arena,
 * it gets the words that were written ({@code MirroredCopy}), else it makes the same changes from
 * the journal. Price: twice the memory, and a delta waits for the batches of the version before the
 * last.
 *
 * <p>Words: a slot is a rule's number in a structure, given out again after its rule was removed; a
 * rank is its place in the total order as a number, smaller is better; verdicts name rules by their
 * stable ids. Rules have ages in place of places: of equal priorities the older one wins.
 */
@NullMarked
package dev.sluice.lab.inplace;

import org.jspecify.annotations.NullMarked;
