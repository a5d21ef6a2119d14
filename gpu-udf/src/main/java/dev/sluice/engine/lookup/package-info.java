/**
 * Common ground of the look-up algorithms: {@link dev.sluice.engine.lookup.Algorithm}, the
 * contracts of look-ups ({@link dev.sluice.engine.lookup.Classifier}, {@link
 * dev.sluice.engine.lookup.BatchClassifier}), verdicts, and the flow cache.
 *
 * <p>An algorithm is a package that depends on this one. The registry is {@code
 * META-INF/services/dev.sluice.engine.lookup.Algorithm}, a line an algorithm, in the order in which
 * help texts and tables name them. What of an algorithm is asked for:
 *
 * <ul>
 *   <li>a label and a number for the image's header, each no other's; a line of what it is good
 *       for;
 *   <li>{@code compile}: a rule set into an image, within a budget; {@code open}: a classifier over
 *       an image;
 *   <li>if it has any: options, kernels for a device, a form for rules that change.
 * </ul>
 */
@NullMarked
package dev.sluice.engine.lookup;

import org.jspecify.annotations.NullMarked;
