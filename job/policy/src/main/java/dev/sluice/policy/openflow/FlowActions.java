package dev.sluice.policy.openflow;

import dev.sluice.policy.LineScanner;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.SwitchPorts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks that a flow's actions begin with words of ovs-actions(7). What an action is given is not
 * checked: the text is the verdict, and nobody here carries it out.
 */
final class FlowActions {
    private static final String BLANK = " \t\r,";
    private static final String PORT = "[0-9]{1,10}";

    private static final Set<String> WORDS =
            Set.of(
                    "output",
                    "output_reg",
                    "group",
                    "controller",
                    "enqueue",
                    "bundle",
                    "bundle_load",
                    "mod_vlan_vid",
                    "set_vlan_vid",
                    "mod_vlan_pcp",
                    "set_vlan_pcp",
                    "strip_vlan",
                    "pop_vlan",
                    "push_vlan",
                    "mod_dl_src",
                    "mod_dl_dst",
                    "mod_nw_src",
                    "mod_nw_dst",
                    "mod_nw_tos",
                    "mod_nw_ecn",
                    "mod_nw_ttl",
                    "mod_tp_src",
                    "mod_tp_dst",
                    "move",
                    "load",
                    "set_field",
                    "push",
                    "pop",
                    "dec_ttl",
                    "set_mpls_label",
                    "set_mpls_tc",
                    "set_mpls_ttl",
                    "dec_mpls_ttl",
                    "push_mpls",
                    "pop_mpls",
                    "set_tunnel",
                    "set_tunnel64",
                    "set_queue",
                    "pop_queue",
                    "fin_timeout",
                    "resubmit",
                    "learn",
                    "conjunction",
                    "multipath",
                    "note",
                    "exit",
                    "sample",
                    "unroll_xlate",
                    "ct",
                    "clone",
                    "check_pkt_larger",
                    "encap",
                    "decap",
                    "dec_nsh_ttl",
                    "debug_recirc",
                    "debug_slow",
                    "delete_field",
                    "ct_clear",
                    "meter",
                    "clear_actions",
                    "write_actions",
                    "write_metadata",
                    "goto_table",
                    "in_port",
                    "table",
                    "normal",
                    "flood",
                    "all",
                    "local",
                    "none",
                    "any",
                    "unset",
                    "drop");

    private static final Pattern CLAUSE =
            Pattern.compile("\\((\\d{1,10}),(\\d{1,2})/(\\d{1,2})\\)");
    private static final int MOST_CLAUSES = 64;

    private FlowActions() {}

    /**
     * Clause of a conjunction, as {@code conjunction(ID,K/N)} says it.
     *
     * @param number K, from 1
     * @param of N
     */
    record Clause(long id, int number, int of) {}

    /**
     * Checks a text.
     *
     * @param text what stands behind {@code actions=}
     * @param column where it stands
     * @return the clauses of conjunctions that the flow is part of; then it has no other actions
     */
    static List<Clause> check(String text, int column, SwitchPorts ports)
            throws RuleSyntaxException {
        List<Clause> clauses = new ArrayList<>();
        boolean acts = false;
        LineScanner in = new LineScanner(text);
        in.skip(BLANK);
        int words = 0;
        boolean drops = false;
        while (!in.atEnd()) {
            String word = in.next() == '"' ? in.quoted() : in.until(BLANK + "=:(");
            int at = column + in.column() - 1;
            String lower = word.toLowerCase(Locale.ROOT);
            boolean quoted = text.charAt(in.column() - 1) == '"'; // as a port's name is printed
            boolean port = quoted || word.matches(PORT) && isPort(word) || ports.number(word) >= 0;
            if (!port && !WORDS.contains(lower)) {
                throw new RuleSyntaxException(
                        at,
                        word,
                        "is no action of ovs-ofctl; check the spelling, name a port by --ports FILE,"
                                + " and write one flow a line");
            }
            String given = in.nested(BLANK);
            if (given == null) {
                throw new RuleSyntaxException(
                        at, word, "opens a parenthesis that nothing closes; write the )");
            }
            boolean joins = !port && lower.equals("conjunction");
            if (joins) {
                clauses.add(clause(given, at));
            }
            acts |= !joins && !lower.equals("note");
            if (acts && !clauses.isEmpty()) {
                throw new RuleSyntaxException(
                        at, word, "stands beside conjunction, which only note may; keep one");
            }
            boolean drop = lower.equals("drop");
            if (words > 0 && drop != drops) {
                throw new RuleSyntaxException(
                        at, word, "stands beside another action, and drop stands alone; keep one");
            }
            drops = drop;
            words++;
            in.skip(BLANK);
        }
        return clauses;
    }

    private static Clause clause(String given, int column) throws RuleSyntaxException {
        Matcher said = CLAUSE.matcher(given.replace(" ", ""));
        long id = said.matches() ? Long.parseLong(said.group(1)) : 0;
        int number = id == 0 ? 0 : Integer.parseInt(said.group(2));
        int of = id == 0 ? 0 : Integer.parseInt(said.group(3));
        if (id > 0xffffffffL || number < 1 || number > of || of < 2 || of > MOST_CLAUSES) {
            throw new RuleSyntaxException(
                    column,
                    "conjunction" + given,
                    "is none; write conjunction(ID,K/N): clause K of N, of 2 to 64");
        }
        return new Clause(id, number, of);
    }

    private static boolean isPort(String digits) {
        long number = Long.parseLong(digits);
        return number <= 0xffff || number >= 0xffffff00L && number <= 0xffffffffL;
    }
}
