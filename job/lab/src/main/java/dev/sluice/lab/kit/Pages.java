package dev.sluice.lab.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Pages of measurements: texts written by hand whose tables are made from raw files. A table stands
 * between {@code <!-- table SPECIFICATION -->} and {@code <!-- end -->}.
 */
final class Pages {
    private static final Pattern TABLE =
            Pattern.compile("(<!-- table (.*?)-->\n).*?(<!-- end -->)", Pattern.DOTALL);

    private Pages() {}

    /**
     * Returns the text of each page with tables: those in the folder of the raw files, and {@code
     * benchmarks.md} beside the folder, where it is.
     */
    static Map<Path, String> of(Path folder) throws IOException {
        RawFiles raw = new RawFiles(folder);
        Map<Path, String> texts = new LinkedHashMap<>();
        Path headlines = folder.toAbsolutePath().normalize().resolveSibling("benchmarks.md");
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> pages = files.filter(f -> f.toString().endsWith(".md")).sorted().toList();
            for (Path page : Stream.concat(pages.stream(), Stream.of(headlines)).toList()) {
                String text = Files.exists(page) ? Files.readString(page) : "";
                if (TABLE.matcher(text).find()) {
                    texts.put(page, fill(text, raw));
                }
            }
        }
        return texts;
    }

    /** Makes the tables of a page anew. */
    static String fill(String page, RawFiles raw) {
        return TABLE.matcher(page)
                .replaceAll(
                        place ->
                                Matcher.quoteReplacement(
                                        place.group(1)
                                                + "\n"
                                                + new TableSpec(place.group(2)).table(raw)
                                                + "\n"
                                                + place.group(3)));
    }
}
