/**
 * {@code sluice bench} and its sub-command {@code engine}, which measures the engine alone on a
 * header trace.
 */
@NullMarked
package dev.sluice.lab.bench;

import org.jspecify.annotations.NullMarked;
