/**
 * Shadow: a second policy that judges the packets of a job beside the first, to tell what would
 * change if it took the first one's place. Its verdicts go nowhere: they are compared with those of
 * the first, and counted.
 *
 * <p>{@link dev.sluice.operators.shadow.PairCounter} counts in each subtask of the classify
 * operator, in the thread of its look-ups. The subtask hands its counts out before each barrier, so
 * that it has no state. {@link dev.sluice.operators.shadow.ShadowOperator}, of which there is one,
 * adds them up; the sums are its state, and it emits those that changed before the barrier. A
 * checkpoint thus commits exactly the sums of its state: after a failure or a rescaling no packet
 * is missing, and none counts twice.
 */
@NullMarked
package dev.sluice.operators.shadow;

import org.jspecify.annotations.NullMarked;
