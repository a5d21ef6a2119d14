package dev.sluice.policy.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Ruleset of nftables as the kernel holds it, without the namespace's own tables.
 *
 * @param text as {@code nft list ruleset} prints it
 * @param json as {@code nft -j list ruleset} prints it, each object on a line of its own
 * @param lines the line in the text of each rule, by {@code table/chain/handle}
 * @param ends the line in the text of each base chain's policy, by {@code table/chain}
 * @param jsonLines the line in the JSON of each line in the text that holds a rule or policy
 */
record NftDump(
        String text,
        String json,
        Map<String, Integer> lines,
        Map<String, Integer> ends,
        Map<Integer, Integer> jsonLines) {
    private static final String OWN = "sluice";
    private static final Pattern TABLE = Pattern.compile("table \\S+ (\\S+) \\{.*");
    private static final Pattern CHAIN = Pattern.compile("\tchain (\\S+) \\{.*");
    private static final Pattern RULE = Pattern.compile("\t\t.* # handle (\\d+)");
    private static final Pattern JSON_RULE =
            Pattern.compile(
                    "\\{\"rule\": \\{\"family\": \"\\w+\", \"table\": \"([\\w-]+)\", \"chain\": \"([\\w-]+)\", \"handle\": (\\d+),.*");
    private static final Pattern JSON_CHAIN =
            Pattern.compile(
                    "\\{\"chain\": \\{\"family\": \"\\w+\", \"table\": \"([\\w-]+)\", \"name\": \"([\\w-]+)\",.*\"hook\".*");

    /** Takes the three lists of a ruleset apart. */
    static NftDump of(String plain, String withHandles, String json) {
        List<String> text = new ArrayList<>();
        Map<String, Integer> lines = new HashMap<>();
        Map<String, Integer> ends = new HashMap<>();
        List<String> handles = withHandles.lines().toList();
        List<String> plains = plain.lines().toList();
        String table = "";
        String chain = "";
        for (int i = 0; i < plains.size(); i++) {
            Matcher tables = TABLE.matcher(plains.get(i));
            Matcher chains = CHAIN.matcher(plains.get(i));
            Matcher rules = RULE.matcher(handles.get(i));
            table = tables.matches() ? tables.group(1) : table;
            chain = chains.matches() ? chains.group(1) : chain;
            if (table.equals(OWN)) {
                continue;
            }
            text.add(plains.get(i));
            if (plains.get(i).startsWith("\t\ttype ") && plains.get(i).contains(" hook ")) {
                ends.put(table + "/" + chain, text.size());
            } else if (rules.matches()) {
                lines.put(table + "/" + chain + "/" + rules.group(1), text.size());
            }
        }
        List<String> objects = objects(json);
        objects.removeIf(one -> one.contains('"' + OWN + '"'));
        Map<Integer, Integer> jsonLines = new HashMap<>();
        for (int i = 0; i < objects.size(); i++) {
            Matcher rule = JSON_RULE.matcher(objects.get(i));
            Matcher base = JSON_CHAIN.matcher(objects.get(i));
            Integer line =
                    rule.matches()
                            ? lines.get(rule.group(1) + "/" + rule.group(2) + "/" + rule.group(3))
                            : base.matches() ? ends.get(base.group(1) + "/" + base.group(2)) : null;
            if (line != null) {
                jsonLines.put(line, i + 2);
            }
        }
        return new NftDump(
                String.join("\n", text) + "\n",
                "{\"nftables\": [\n" + String.join(",\n", objects) + "\n]}\n",
                lines,
                ends,
                jsonLines);
    }

    /** Returns the objects of the array in the one object of a JSON text. */
    private static List<String> objects(String json) {
        List<String> objects = new ArrayList<>();
        int depth = 0;
        int from = 0;
        boolean quoted = false;
        for (int i = json.indexOf('['); i < json.length(); i++) {
            char c = json.charAt(i);
            quoted ^= c == '"' && json.charAt(i - 1) != '\\';
            if (!quoted && c == '{') {
                from = depth++ == 0 ? i : from;
            } else if (!quoted && c == '}' && --depth == 0) {
                objects.add(json.substring(from, i + 1));
            }
        }
        return objects;
    }
}
