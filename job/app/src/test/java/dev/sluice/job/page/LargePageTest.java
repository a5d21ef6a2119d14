package dev.sluice.job.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The largest page that there can be: its size, and the time until it is shown. */
class LargePageTest {
    @TempDir Path folder;

    private static List<PageColumn> columns(String time, int texts, int numbers) {
        List<PageColumn> columns = new ArrayList<>();
        columns.add(new PageColumn(time, PageColumn.Kind.TIME));
        for (int i = 0; i < numbers; i++) {
            columns.add(PageColumn.number("number " + i));
        }
        for (int i = 1; i < texts; i++) {
            columns.add(new PageColumn("text " + i, PageColumn.Kind.TEXT));
        }
        return columns;
    }

    /** Rows as a section has them: an address, words, a packet, numbers. */
    private static PageSection rows(String name, int count, PageSection rules, Random random) {
        List<PageColumn> columns = columns("last", 4, 4);
        columns.add(new PageColumn("line", PageColumn.Kind.LINE));
        columns.add(new PageColumn("rule", PageColumn.Kind.RULE));
        PageSection section = new PageSection(name, name, columns);
        for (int i = 0; i < count; i++) {
            Object[] rule = rules.rows.get(random.nextInt(100_000));
            section.row(
                    1_795_875_105_000L + random.nextInt(86_400_000),
                    (long) random.nextInt(1_000),
                    (long) random.nextInt(1_000_000),
                    (long) random.nextInt(100),
                    (long) random.nextInt(100_000),
                    "%d.%d.%d.%d"
                            .formatted(
                                    random.nextInt(224),
                                    random.nextInt(256),
                                    random.nextInt(256),
                                    random.nextInt(256)),
                    random.nextInt(65536) + "/tcp",
                    "tcp 192.0.2.%d:%d > 198.51.100.%d:%d syn"
                            .formatted(
                                    random.nextInt(256),
                                    random.nextInt(65536),
                                    random.nextInt(256),
                                    random.nextInt(65536)),
                    rule[0],
                    rule[1]);
        }
        return section;
    }

    /**
     * 100,000 rules, 10,000 rows of findings and of denied packets, 3,000 connections and 2,000
     * steps of time are opened in 3 s, and take less than 5 MB: these are the bounds of a page.
     */
    @Test
    void aLargePageIsSmallAndOpensAtOnce() throws IOException {
        PageSection rules =
                new PageSection(
                        "rules",
                        "Rules",
                        List.of(
                                new PageColumn("line", PageColumn.Kind.LINE),
                                new PageColumn("rule", PageColumn.Kind.RULE),
                                PageColumn.number("packets"),
                                new PageColumn("last", PageColumn.Kind.TIME)));
        Random random = new Random(7);
        for (int i = 1; i <= 100_000; i++) {
            int address = random.nextInt();
            rules.row(
                    String.valueOf(i),
                    "-A FORWARD -s %d.%d.%d.0/24 -d 10.%d.%d.%d/32 -p tcp -m tcp --dport %d -j ACCEPT"
                            .formatted(
                                    address >>> 24,
                                    address >>> 16 & 255,
                                    address >>> 8 & 255,
                                    address & 255,
                                    random.nextInt(256),
                                    random.nextInt(256),
                                    random.nextInt(65536)),
                    (long) random.nextInt(1000),
                    1_795_875_105_000L + random.nextInt(86_400_000));
        }
        PageSection times = new PageSection("time", "Over time", columns("from", 1, 3));
        for (long i = 0; i < 2_000; i++) {
            times.row(i * 1_000, 1L + random.nextInt(5_000), 1L + random.nextInt(500), i % 7);
        }
        times.figure(new PageFigure.Chart(1_000));
        List<PageSection> sections = new ArrayList<>(List.of(times, rules));
        Map.of("findings", 10_000, "denied", 10_000, "connections", 3_000)
                .forEach((name, count) -> sections.add(rows(name, count, rules, random)));
        Path file = folder.resolve("large.html");
        try (PageFile to = new PageFile(file)) {
            to.write(new Page("large", Map.of("rules", 100_000L), sections));
        }
        assertTrue(Files.size(file) < 5_000_000, Files.size(file) + " bytes");
        try (Browser browser = Browser.start(false)) {
            double millis = browser.open(file);
            assertTrue(millis < 3000, millis + " ms");
            for (PageSection section : sections) {
                browser.tab(section.title);
                assertEquals(100, browser.rows().size());
            }
            browser.tab("Rules");
            browser.press("Last");
            assertEquals("100000", browser.rows().get(99).get(0));
            browser.all("input[type=search]").get(0).sendKeys("no such rule");
            assertEquals(List.of("No row of 100,000 is chosen"), browser.texts(".status"));
            System.err.printf(
                    "large page: %,d bytes, open after %.0f ms%n", Files.size(file), millis);
        }
    }
}
