package dev.sluice.job.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Report for a browser.
 *
 * @param title its heading
 * @param facts numbers ({@link Long}) and words by their names, in their order
 * @param sections its tabs, in their order
 * @param notices sentences above the tabs of a page that a server renews; null: nobody renews it
 */
public record Page(
        String title,
        Map<String, Object> facts,
        List<PageSection> sections,
        @Nullable List<String> notices) {
    /** A page that stays as it is. */
    public Page(String title, Map<String, Object> facts, List<PageSection> sections) {
        this(title, facts, sections, null);
    }

    /** A page that keeps copies. */
    public Page {
        facts = new LinkedHashMap<>(facts);
        sections = List.copyOf(sections);
    }
}
