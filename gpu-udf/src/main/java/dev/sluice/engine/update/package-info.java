/**
 * Rule sets that change while they are looked into: deltas, ranks, two copies, overlays.
 *
 * <pre>
 *  delta ─▶ slots and ranks settled ─▶ journal ─▶ idle copy ─▶ published ─▶ then the other copy
 *                                                    │
 *      in place: classes or trees      overlay: compiled base + merged classes + removal bits
 * </pre>
 *
 * <p>In place, the other copy gets the words that were written, where a structure lies in one
 * memory ({@code MirroredCopy}); else it takes the same changes from the journal.
 */
@NullMarked
package dev.sluice.engine.update;

import org.jspecify.annotations.NullMarked;
