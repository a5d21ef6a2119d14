/**
 * Rule sets whose versions are numbers in one look-up.
 *
 * <p><b>What.</b> Rules change while they are looked into: by the thousand a second, each change
 * visible at once, on the CPU and on devices, while batches of older versions are under way. A
 * batch sees exactly one version.
 *
 * <p><b>Naive.</b> Compile the rules for each change: seconds for 100,000 rules. Or change a
 * structure in place under a lock: every look-up waits for every change. Or keep two copies, and
 * change the one that nobody looks into (the papers' way): that waits for the batches of the
 * version before, so a device with batches of 65,536 headers allows some thousand changes a second,
 * and two versions at most.
 *
 * <p><b>Ticks.</b> As in Open vSwitch's classifier (lib/classifier.h, "Classifier Versioning"), a
 * version is a number that a look-up takes along, and each rule has an interval of them. {@link
 * dev.sluice.engine.versions.VersionedRules} counts changes by ticks, from 0 for what was compiled.
 * Price: a rule that is gone stays in memory until the next base.
 *
 * <p><b>Base.</b> What was compiled ({@link dev.sluice.engine.versions.Base}), by any algorithm, on
 * any device, stays as it is and answers first. While nothing has changed it answers alone, at its
 * full speed.
 *
 * <p><b>Removals.</b> A word a base rule says at which tick it was removed. Where the base's answer
 * is a rule that is not there at the look-up's tick, and the overlay has none before it, the header
 * is looked up again: on the CPU among the few rules behind the removed one that have headers in
 * common with it, which were listed when it went ({@code TouchedVerdicts}); where these are many,
 * and on a device, among all base rules, in merged tuples that pass such rules over: a compiled
 * base may lack a rule that another one covers. Price: these tuples, built beside the base in the
 * background, as large as the rules once more; and for such headers a look-up that is several times
 * slower, until the next base. Nothing better is known that serves every algorithm.
 *
 * <p><b>Overlay.</b> Inserted rules go to a tuple space that is only ever appended to ({@code
 * VersionedTuples}, where it is told why look-ups of all ticks may share it without waiting). Few
 * tuples with relaxed masks; where many entries share a key, a tuple with a longer mask is opened
 * for those that come later. Bits by the upper halves of both addresses say which tuples may have
 * something for a header ({@code TuplePruning}), and on the CPU only headers are looked up there
 * whose verdict an inserted rule can have taken ({@code TouchedVerdicts}). Price: memory is not
 * given back, so that the live rules go to a new overlay now and then; and such look-ups pay for
 * those tuples.
 *
 * <p><b>Vectors.</b> While the overlay has few entries, the CPU does not look into its tuples: bits
 * by three halves of header words say which entries a header may match ({@code EntryVectors}), and
 * most headers that are looked up have none. Price: 12 KB for 64 entries, and a step for each 64,
 * so that the tuples are quicker again from some hundred on.
 *
 * <p><b>Order.</b> A base is never numbered anew. An overlay rule says how many base rules come
 * before it, so it beats the base's rule i if that number is at most i; among those that stand
 * between the same two base rules a label decides ({@code OverlayOrder}). Where there is no label
 * left between two rules, some neighbours are entered again, with other labels, from the next tick
 * on.
 *
 * <p><b>What rules say</b> besides their matches is versioned apart, by slot: a changed action
 * touches no look-up ({@code SlotRules}). Lines move by runs ({@code Lines}): a line that is
 * inserted at the top of a file moves all lines below, and is one note.
 *
 * <p><b>A delta that does not fit</b> is taken back: what it inserted ends with the tick with which
 * it began, and counts at none.
 *
 * <p><b>Threads.</b> One writes at a time, under a lock of the owner's. Any number look, each with
 * a {@link dev.sluice.engine.versions.VersionView} that the writer published; they never wait and
 * write nothing. A view is closed when it is of no use any more: what no open view needs may leave
 * the chains.
 *
 * <pre>
 *  delta ─▶ VersionedRules ─┬─▶ removedAt ──────────────┐
 *            (tick + 1)     ├─▶ VersionedTuples ────────┤
 *                           ├─▶ EntryVectors ───────────┤
 *                           └─▶ SlotRules, Lines ─┐     │
 *                                                 ▼     ▼
 *  headers ─▶ base ─▶ overlay ─▶ second look ─▶ verdict: position in the base, or its size + slot
 * </pre>
 */
@NullMarked
package dev.sluice.engine.versions;

import org.jspecify.annotations.NullMarked;
