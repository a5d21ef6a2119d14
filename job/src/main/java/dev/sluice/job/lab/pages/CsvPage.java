package dev.sluice.job.lab.pages;

import java.util.List;

/**
 * A page of CSV files that describe themselves, a section each.
 *
 * @param file the page's name
 * @param about what the page is about
 */
record CsvPage(String file, String title, String about, List<String> raws)
        implements BenchmarkPage {
    @Override
    public String text(RawFiles raw) {
        PageText page = new PageText(title, raws.toArray(String[]::new)).say(about);
        raws.forEach(name -> page.section(raw.csv(name)));
        return page.toString();
    }
}
