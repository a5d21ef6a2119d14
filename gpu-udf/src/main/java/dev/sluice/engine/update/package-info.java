/**
 * Rule sets that change while they are looked up.
 *
 * <pre>
 *  delta ─▶ slots and ranks given ─▶ journal ─▶ idle copy ─▶ published ─▶ then the other copy
 *                                                  │
 *    in place: the algorithm's structure           overlay: compiled base, merged tuples for
 *                                                  rules inserted since, bits of removed rules
 * </pre>
 *
 * <p>There are two copies of what look-ups read, so that readers never wait and always see one
 * version: a delta is applied to the copy that nobody looks into, then this copy is published
 * ({@code TwoCopies} has the proof). The other copy follows: where the structure lies in one arena,
 * it gets the words that were written ({@code MirroredCopy}), else it makes the same changes from
 * the journal. An algorithm that cannot change in place has an overlay ({@code OverlayState}); a
 * background thread compiles a new base when the overlay has grown.
 *
 * <p>Words: a slot is a rule's number in a structure, given out again after its rule was removed; a
 * rank is its place in the total order as a number, smaller is better; verdicts name rules by their
 * stable ids.
 */
@NullMarked
package dev.sluice.engine.update;

import org.jspecify.annotations.NullMarked;
