package dev.sluice.policy.paloalto;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.ConfigNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reader of {@code set} lines, or of braces, as a tree of settings. */
final class SetText {
    /** Lines that no configuration has: comments, prompts, answers of the device. */
    private static final Pattern OTHER =
            Pattern.compile("\\s*(?:[#!].*|\\S+@\\S+[>#].*|\\[edit.*\\]|configure|exit|)");

    private static final Pattern CHANGE =
            Pattern.compile("\\s*(delete|move|rename|copy|override|edit|load|insert)\\s.*");

    private static final String SIGNS = "[]{};";

    /** Settings of objects that have values, and none below these. */
    private static final Set<String> OF_OBJECTS =
            Set.of(
                    "ip-netmask",
                    "ip-range",
                    "ip-wildcard",
                    "fqdn",
                    "description",
                    "port",
                    "source-port",
                    "static",
                    "members");

    /** Settings of rules that have values, and none below these. */
    private static final Set<String> OF_RULES =
            Set.of(
                    "from",
                    "to",
                    "source",
                    "destination",
                    "service",
                    "application",
                    "action",
                    "category",
                    "source-user",
                    "negate-source",
                    "negate-destination",
                    "disabled",
                    "rule-type",
                    "log-start",
                    "log-end",
                    "log-setting",
                    "schedule",
                    "description");

    /** Tables, behind whose names that of an entry stands. */
    private static final Set<String> TABLES =
            Set.of("address", "address-group", "service", "service-group", "rules", "zone", "tag");

    private final RuleReading in;
    private final String text;
    private int at;
    private int line = 1;
    private int lineStart;

    private SetText(RuleReading in, String text) {
        this.in = in;
        this.text = text;
    }

    private record Word(String text, boolean quoted, int line, int column) {
        boolean is(String sign) {
            return !quoted && text.equals(sign);
        }
    }

    /** The settings of a text of {@code set} lines; defects are reported. */
    static ConfigNode read(RuleReading in, String text) {
        ConfigNode root = new ConfigNode("", 1, 1);
        new SetText(in, text).read(root);
        return root;
    }

    /** The settings of a text with braces; defects are reported. */
    static ConfigNode readBraces(RuleReading in, String text) {
        ConfigNode root = new ConfigNode("", 1, 1);
        SetText reader = new SetText(in, text);
        try {
            reader.braces(root);
        } catch (RuleSyntaxException e) {
            in.defect(reader.line, e);
        }
        return root;
    }

    private void braces(ConfigNode root) throws RuleSyntaxException {
        Deque<ConfigNode> open = new ArrayDeque<>(List.of(root));
        List<Word> path = new ArrayList<>();
        while (at < text.length()) {
            if (at == lineStart && OTHER.matcher(lineAt()).matches()) {
                at += lineAt().length();
            }
            for (Word word : words()) {
                if (word.is("{")) {
                    if (open.size() > ConfigNode.MOST_DEPTH) {
                        throw new RuleSyntaxException(
                                word.column, "{", "is nested too deep; nest it less");
                    }
                    open.push(put(open.element(), path));
                } else if (word.is(";")) {
                    put(open.element(), path);
                } else if (word.is("}")) {
                    open.pop();
                    if (open.isEmpty()) {
                        throw new RuleSyntaxException(
                                word.column, "}", "closes nothing; remove it");
                    }
                } else {
                    path.add(word);
                    continue;
                }
                path.clear();
            }
            newLine();
        }
        if (open.size() > 1) {
            throw new RuleSyntaxException(1, "}", "is missing at the end; give the whole output");
        }
    }

    private String lineAt() {
        int end = text.indexOf('\n', at);
        return text.substring(at, end < 0 ? text.length() : end);
    }

    /**
     * Adds words below a setting; those in brackets are values of the one before. Behind the values
     * of a setting another one may follow on the same line.
     */
    private static ConfigNode put(ConfigNode root, List<Word> words) {
        ConfigNode node = root;
        ConfigNode above = root; // of the setting whose values come next
        boolean list = false;
        boolean isSetting = false;
        boolean hasValue = false;
        String before = "";
        String second = "";
        String within = ""; // the table of the entry that has the setting
        for (Word word : words) {
            if (word.is("[") || word.is("]")) {
                list = word.is("[");
                hasValue = !list;
                continue;
            }
            if (isSetting && hasValue && !list) {
                node = above;
                isSetting = false;
                second = within;
            }
            ConfigNode next = node.add(word.text, word.line, word.column);
            hasValue = isSetting;
            boolean known =
                    second.equals("rules")
                            ? OF_RULES.contains(word.text)
                            : OF_OBJECTS.contains(word.text) && !TABLES.contains(before);
            if (!isSetting && known) {
                isSetting = true;
                hasValue = false;
                above = node;
                within = second;
                node = next;
            } else if (!list && !isSetting) {
                node = next;
            }
            second = before;
            before = word.text;
        }
        return node;
    }

    private void read(ConfigNode root) {
        while (at < text.length()) {
            String whole = lineAt();
            int first = line;
            try {
                if (OTHER.matcher(whole.strip()).matches()) {
                    at += whole.length();
                } else {
                    statement(root, whole);
                }
            } catch (RuleSyntaxException e) {
                in.defect(first, e);
                int next = text.indexOf('\n', at);
                at = next < 0 ? text.length() : next;
            }
            newLine();
        }
    }

    private void newLine() {
        at++;
        line++;
        lineStart = at;
    }

    private void statement(ConfigNode root, String whole) throws RuleSyntaxException {
        List<Word> words = words();
        if (!words.get(0).is("set")) {
            throw new RuleSyntaxException(
                    words.get(0).column,
                    words.get(0).text,
                    CHANGE.matcher(whole).matches()
                            ? "changes a configuration; give the output of show in set format"
                            : "is no set line; give the output of show in set format");
        }
        if (words.size() > ConfigNode.MOST_DEPTH && !words.get(words.size() - 1).is("]")) {
            throw new RuleSyntaxException(1, "set", "has too many words; write fewer");
        }
        put(root, words.subList(1, words.size()));
    }

    /** The words up to the end of a line; quoted ones may span lines. */
    private List<Word> words() throws RuleSyntaxException {
        List<Word> words = new ArrayList<>();
        while (at < text.length() && text.charAt(at) != '\n') {
            char c = text.charAt(at);
            int column = at - lineStart + 1;
            if (c <= ' ') {
                at++;
            } else if (c == '"' || c == '\'') {
                words.add(new Word(quoted(c), true, line, column));
            } else if (SIGNS.indexOf(c) >= 0) {
                words.add(new Word("" + c, false, line, column));
                at++;
            } else {
                int start = at;
                while (at < text.length()
                        && text.charAt(at) > ' '
                        && SIGNS.indexOf(text.charAt(at)) < 0) {
                    at++;
                }
                words.add(new Word(text.substring(start, at), false, line, column));
            }
        }
        return words;
    }

    private String quoted(char quote) throws RuleSyntaxException {
        int start = at + 1;
        int column = at - lineStart + 1;
        int close = text.indexOf(quote, start);
        while (close > 0 && text.charAt(close - 1) == '\\') {
            close = text.indexOf(quote, close + 1);
        }
        if (close < 0) {
            throw new RuleSyntaxException(column, "" + quote, "is not closed; close the quotes");
        }
        for (at = start; at < close; at++) {
            if (text.charAt(at) == '\n') {
                line++;
                lineStart = at + 1;
            }
        }
        at = close + 1;
        return text.substring(start, close);
    }
}
