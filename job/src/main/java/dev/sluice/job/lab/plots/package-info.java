/**
 * Plots of measurements as parts of one HTML page that needs nothing beside it: lines and bars in
 * SVG, with their numbers as tooltips.
 */
@NullMarked
package dev.sluice.job.lab.plots;

import org.jspecify.annotations.NullMarked;
