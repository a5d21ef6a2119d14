package dev.sluice.job.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Report for a browser.
 *
 * @param title its heading
 * @param facts numbers ({@link Long}) and words by their names, in their order
 * @param sections its tabs, in their order
 */
public record Page(String title, Map<String, Object> facts, List<PageSection> sections) {
    /** A page that keeps copies. */
    public Page {
        facts = new LinkedHashMap<>(facts);
        sections = List.copyOf(sections);
    }
}
