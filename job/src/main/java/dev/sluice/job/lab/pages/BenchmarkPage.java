package dev.sluice.job.lab.pages;

/** One generated page of measurements. */
interface BenchmarkPage {
    /** The page's file name. */
    String file();

    /** The page's whole text: the same for the same raw files. */
    String text(RawFiles raw);
}
