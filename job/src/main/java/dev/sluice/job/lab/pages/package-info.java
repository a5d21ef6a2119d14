/**
 * The pages of measurements under {@code docs/benchmarks}: every table there is made from the raw
 * JSON and CSV files beside it, so that no number is typed twice. {@link
 * dev.sluice.job.lab.pages.BenchmarkPages} knows the pages, each {@link
 * dev.sluice.job.lab.pages.BenchmarkPage} one file, {@link dev.sluice.job.lab.pages.PagesCommand}
 * writes or checks them.
 */
@NullMarked
package dev.sluice.job.lab.pages;

import org.jspecify.annotations.NullMarked;
