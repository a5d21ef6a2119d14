package dev.sluice.policy.openflow;

import dev.sluice.policy.LineScanner;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.SwitchPorts;
import java.util.Locale;
import java.util.Set;

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

    /** Says what a conjunction is, and what to write instead. */
    static final String CONJUNCTION =
            "belongs to a conjunction, whose flows decide only together; write one flow for each combination of"
                    + " their matches, with the action of the conj_id flow";

    private FlowActions() {}

    /**
     * Checks a text.
     *
     * @param text what stands behind {@code actions=}
     * @param column where it stands
     */
    static void check(String text, int column, SwitchPorts ports) throws RuleSyntaxException {
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
            if (!port && lower.equals("conjunction")) {
                throw new RuleSyntaxException(at, word, CONJUNCTION, CONJUNCTION);
            }
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
            boolean drop = lower.equals("drop");
            if (words > 0 && drop != drops) {
                throw new RuleSyntaxException(
                        at, word, "stands beside another action, and drop stands alone; keep one");
            }
            drops = drop;
            words++;
            in.skip(BLANK);
        }
    }

    private static boolean isPort(String digits) {
        long number = Long.parseLong(digits);
        return number <= 0xffff || number >= 0xffffff00L && number <= 0xffffffffL;
    }
}
