package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.KernelAnswer.Step;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers of the rules that a kernel holds: their count by chain for iptables' legacy tables, and
 * the number of each handle for nftables.
 */
record LoadedRules(Map<String, Integer> counts, Map<String, Integer> handles) {
    private static final Pattern TABLE = Pattern.compile("table \\S+ (\\S+) \\{.*");
    private static final Pattern CHAIN = Pattern.compile("chain (\\S+) \\{.*");
    private static final Pattern RULE = Pattern.compile(".* # handle (\\d+)");

    /** Counts the rules of a text as {@code iptables-save} prints it. */
    static LoadedRules ofSave(String text) {
        Map<String, Integer> counts = new HashMap<>();
        String table = "";
        for (String counted : text.lines().toList()) {
            String line = counted.replaceFirst("^\\[[0-9:]+\\] ", "");
            if (line.startsWith("*")) {
                table = line.substring(1).trim();
            } else if (line.startsWith("-A ")) {
                counts.merge(table + "/" + line.split(" ", 3)[1], 1, Integer::sum);
            }
        }
        return new LoadedRules(counts, Map.of());
    }

    /** Numbers the rules of a text as {@code nft -a list ruleset} prints it. */
    static LoadedRules ofRuleset(List<String> lines) {
        Map<String, Integer> handles = new HashMap<>();
        String table = "";
        String chain = "";
        int number = 0;
        for (String line : lines) {
            String words = line.trim();
            Matcher tables = TABLE.matcher(words);
            Matcher chains = CHAIN.matcher(words);
            Matcher rules = RULE.matcher(words);
            if (tables.matches()) {
                table = tables.group(1);
            } else if (chains.matches()) {
                chain = chains.group(1);
                number = 0;
            } else if (rules.matches() && !words.startsWith("type ") && !words.endsWith("{")) {
                number++;
                handles.put(table + "/" + chain + "/" + rules.group(1), number);
            }
        }
        return new LoadedRules(Map.of(), handles);
    }

    /**
     * Returns the step of a rule that legacy TRACE tells of; the end of a chain is numbered, too.
     */
    Step byNumber(String table, String chain, int number) {
        boolean end = number > counts.getOrDefault(table + "/" + chain, 0);
        return new Step(table, chain, end ? 0 : number);
    }

    /**
     * Returns the step of a rule that nft trace tells of.
     *
     * @param handle 0 at the end of a chain
     */
    Step byHandle(String table, String chain, long handle) {
        Integer number =
                handle == 0 ? Integer.valueOf(0) : handles.get(table + "/" + chain + "/" + handle);
        if (number == null) {
            throw new IllegalStateException(
                    "no rule of " + table + " " + chain + " has handle " + handle);
        }
        return new Step(table, chain, number);
    }
}
