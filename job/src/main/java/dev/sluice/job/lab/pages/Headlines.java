package dev.sluice.job.lab.pages;

import dev.sluice.job.SluiceException;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of {@code docs/benchmarks.md}, whose text is written by hand. A table stands between
 * {@code <!-- table NAME -->} and {@code <!-- end -->}, each on a line of its own.
 */
final class Headlines {
    private static final Pattern PLACE =
            Pattern.compile("(<!-- table (\\S+) -->\n).*?(<!-- end -->)", Pattern.DOTALL);

    private static final Map<String, Function<RawFiles, String>> TABLES =
            Map.of(
                    "corridor", CorridorHeadline::table,
                    "rivals", RivalsHeadline::table,
                    "grid", GridPage::headline,
                    "rule-changes", RuleChangesPage::headline,
                    "gpu-door", GpuDoorPage::headline,
                    "rules-that-change", ChangingRulesHeadline::table,
                    "gpu", GpuHeadline::table,
                    "gpu-host", GpuHostHeadline::table,
                    "missed", MissedGoals::table);

    private Headlines() {}

    /** The page with its tables made anew. */
    static String fill(String page, RawFiles raw) {
        return PLACE.matcher(page)
                .replaceAll(place -> Matcher.quoteReplacement(filled(place, raw)));
    }

    private static String filled(MatchResult place, RawFiles raw) {
        Function<RawFiles, String> table = TABLES.get(place.group(2));
        if (table == null) {
            throw new SluiceException(
                    "no table is named " + place.group(2) + "; there are " + TABLES.keySet());
        }
        return place.group(1) + "\n" + table.apply(raw) + "\n" + place.group(3);
    }
}
