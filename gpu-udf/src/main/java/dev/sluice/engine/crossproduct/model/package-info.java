/**
 * Common ground of the crossproduct's cells and lists: rules as two prefixes and a kind ({@link
 * dev.sluice.engine.crossproduct.model.RuleKinds}), the words of an image ({@link
 * dev.sluice.engine.crossproduct.model.CrossproductLayout}), the limits that choose a form, and the
 * room of a thread's look-up.
 */
@NullMarked
package dev.sluice.engine.crossproduct.model;

import org.jspecify.annotations.NullMarked;
