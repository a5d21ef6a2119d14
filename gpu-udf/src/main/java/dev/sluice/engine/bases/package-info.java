/**
 * Compiled bases that an engine serves, and their renewal while rules change.
 *
 * <p>{@link dev.sluice.engine.bases.ServedBase} is a base on the CPU, with or without a flow cache,
 * and on a device. {@link dev.sluice.engine.bases.HeldVersion} is a version over it, which holds it
 * until it is closed. {@link dev.sluice.engine.bases.Renewals} compile the next base in the
 * background when much has changed, catch up with the changes made meanwhile, and replace the
 * version in force by one of the same number. {@link dev.sluice.engine.bases.RenewalBounds} say
 * when.
 *
 * <p>Two bases live at most: no renewal begins while versions of the base before are open.
 */
@NullMarked
package dev.sluice.engine.bases;

import org.jspecify.annotations.NullMarked;
