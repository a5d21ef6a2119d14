/**
 * Common ground of the look-up algorithms: {@link dev.sluice.engine.lookup.Algorithm}, the contract
 * of look-ups ({@link dev.sluice.engine.lookup.Classifier}), verdicts, and the flow cache.
 *
 * <p>An algorithm is a package that depends on this one. The registry is {@code
 * META-INF/services/dev.sluice.engine.lookup.Algorithm}, a line an algorithm, in the order of help
 * texts and tables. An algorithm has:
 *
 * <ul>
 *   <li>a label and a code, both unique, and a summary;
 *   <li>{@code compile}: a rule set into an image, within a budget; {@code open}: a classifier over
 *       an image;
 *   <li>{@code suits}, if {@code auto} may choose it: its claims on a rule set;
 *   <li>if it has any: options, kernels for a device, bases that grow while rules change.
 * </ul>
 */
@NullMarked
package dev.sluice.engine.lookup;

import org.jspecify.annotations.NullMarked;
