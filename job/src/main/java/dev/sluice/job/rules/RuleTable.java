package dev.sluice.job.rules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.engine.rules.Rule;
import java.util.LinkedHashMap;
import java.util.Map;

/** Rules as lines for a person, tabs between cells, or for a program, as JSON. */
public final class RuleTable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private RuleTable() {}

    /** Names of the columns of {@link #line}. */
    public static String head() {
        return "id\tline\tpriority\taction\trule";
    }

    /** A rule as cells: id, line (empty for none), priority, action, the rule in its own words. */
    public static String line(Rule rule) {
        return "%d\t%s\t%d\t%s\t%s"
                .formatted(
                        rule.id(),
                        rule.line() == 0 ? "" : String.valueOf(rule.line()),
                        rule.priority(),
                        cell(rule.action()),
                        cell(text(rule)));
    }

    /** The rule in the words of its file; where they are not known, a remark. */
    public static String text(Rule rule) {
        return rule.text().isEmpty() ? "(published without its text)" : rule.text();
    }

    private static String cell(String text) {
        return text.replace('\t', ' ').replace('\n', ' ').replace('\r', ' ');
    }

    /** A rule as a JSON object. */
    public static Map<String, Object> fields(Rule rule) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", rule.id());
        if (rule.line() != 0) {
            fields.put("line", rule.line());
        }
        fields.put("priority", rule.priority());
        fields.put("place", rule.place().toString());
        fields.put("action", rule.action());
        fields.put("text", rule.text());
        return fields;
    }

    /** An object as a line of JSON. */
    public static String json(Object object) {
        try {
            return JSON.writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("plain values are always JSON", e);
        }
    }
}
