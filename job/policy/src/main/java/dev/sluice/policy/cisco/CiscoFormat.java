package dev.sluice.policy.cisco;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Access lists of Cisco IOS, IOS-XE, NX-OS, IOS-XR and Arista EOS. */
public final class CiscoFormat implements PolicyFormat {
    private static final Pattern LIST =
            Pattern.compile(
                    "(?mi)^ *(no )?(ip|ipv4|ipv6) acce[a-z]*(-[list]+)? \\S"
                            + "|^ *acce[a-z]*(-[list]+)? [0-9]+ (permit|deny|remark|dynamic|per|den|rem)"
                            + "|^ *((standard|extended|reflexive) )?(ip|ipv6) access[ -]list \\S"
                            + "|^ +(ip|ipv4|ipv6) (port )?(access-group|traffic-filter) \\S");

    /** First lines of a configuration whose lists may stand far below. */
    private static final Pattern CONFIGURATION =
            Pattern.compile(
                    "(?m)^(Building configuration|Current configuration :|!Command: show (running|startup)"
                            + "|!! IOS XR|! device: .*EOS|!RANCID-CONTENT-TYPE: (cisco|arista))");

    @Override
    public String label() {
        return "cisco";
    }

    @Override
    public String title() {
        return "Cisco IOS";
    }

    @Override
    public String example() {
        return "ip access-list extended EDGE";
    }

    @Override
    public boolean claims(String begin) {
        return !CiscoDialect.isAsa(begin)
                && (LIST.matcher(begin).find() || CONFIGURATION.matcher(begin).find());
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        List<String> lines = lines(in);
        RouterText text =
                new RouterText(CiscoDialect.of(String.join("\n", lines)), in, skipUnsupported);
        text.read(lines);
        if (text.lists.isEmpty() && text.interfaces.bindings.isEmpty() && !in.hasDefects()) {
            in.defect(1, noList());
        }
        Map<String, Policy> policies = new RouterPolicies(text, in, skipUnsupported).policies();
        return in.hasDefects() ? Map.of() : policies;
    }

    static List<String> lines(RuleReading in) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = in.next(); line != null; line = in.next()) {
            lines.add(line);
        }
        return lines;
    }

    /** The defect of a text without a list. */
    static RuleSyntaxException noList() {
        return new RuleSyntaxException(
                1,
                "access-list",
                "begins no line: the text holds no access list; export the whole running-config, or show access-lists");
    }
}
