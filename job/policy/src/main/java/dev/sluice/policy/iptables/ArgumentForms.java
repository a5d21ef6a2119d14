package dev.sluice.policy.iptables;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.RuleSyntaxException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Arguments that iptables takes for options whose meaning Sluice leaves open, and the options that
 * matches and targets need: what iptables refuses is refused.
 */
final class ArgumentForms {
    /**
     * Forms by owner and options: {@code n} is a number with its bounds, {@code m} a number that
     * may have a mask, {@code w} one of some words, {@code l} some of these with commas, {@code x}
     * a regular expression.
     */
    private static final Map<String, String[]> FORMS =
            forms(
                    """
                    limit --limit-burst n 1 10000
                    recent --seconds n 1 4294967295
                    recent --hitcount n 0 4294967295
                    recent --mask x [0-9a-fA-F:.]+
                    connlimit --connlimit-upto,--connlimit-above n 0 4294967295
                    connlimit --connlimit-mask n 0 128
                    statistic --mode w random nth
                    statistic --every n 1 4294967295
                    statistic --packet n 0 4294967295
                    statistic --probability x 0?\\.[0-9]+|0|1(\\.0*)?|0\\.
                    quota --quota x [0-9]+|0[xX][0-9a-fA-F]+
                    connbytes --connbytes x [0-9]+(:[0-9]*)?
                    connbytes --connbytes-dir w original reply both
                    connbytes --connbytes-mode w packets bytes avgpkt
                    connmark --mark m
                    cpu --cpu n 0 4294967295
                    tcpmss --mss x [0-9]{1,5}(:[0-9]{1,5})?
                    osf --ttl,--log n 0 2
                    cluster --cluster-total-nodes,--cluster-local-node,--cluster-local-nodemask,--cluster-hash-seed n 0 4294967295
                    rt --rt-type,--rt-len n 0 4294967295
                    rt --rt-segsleft x [0-9]+(:[0-9]+)?
                    hbh --hbh-len n 0 4294967295
                    hbh --hbh-opts x [0-9]{1,3}(:[0-9]+)?(,[0-9]{1,3}(:[0-9]+)?)*
                    dst --dst-len n 0 4294967295
                    dst --dst-opts x [0-9]{1,3}(:[0-9]+)?(,[0-9]{1,3}(:[0-9]+)?)*
                    mh --mh-type x (1?[0-9]{1,2}|2[0-4][0-9]|25[0-5]|brr|hoti|coti|hot|cot|bu|ba|be|binding-[a-z-]+|(home|careof)-[a-z-]+)(:[0-9a-z-]+)?
                    ipv6header --header l hop hop-by-hop dst ipv6-opts route ipv6-route frag ipv6-frag auth ah esp none ipv6-nonxt prot proto 0 60 43 44 51 50 59 255
                    ah6 --ahspi x [0-9]+(:[0-9]+)?|0[xX][0-9a-fA-F]+
                    ah6 --ahlen n 0 4294967295
                    policy --dir w in out
                    policy --pol w none ipsec
                    policy --mode w tunnel transport
                    policy --reqid,--spi n 0 4294967295
                    conntrack --ctstatus l none expected seen_reply assured confirmed
                    conntrack --ctdir w original reply
                    conntrack --ctexpire x [0-9]+(:[0-9]+)?
                    conntrack --ctorigsrcport,--ctorigdstport,--ctreplsrcport,--ctrepldstport x [0-9]+(:[0-9]+)?
                    conntrack --ctorigsrc,--ctorigdst,--ctreplsrc,--ctrepldst x [0-9a-fA-F.:]+(/[0-9a-fA-F.:]+)?
                    conntrack --ctproto p
                    tcp --tcp-option n 1 255
                    dccp --dccp-option n 1 255
                    frag --fraglen n 0 4294967295
                    string --algo w bm kmp
                    string --from,--to n 0 65535
                    hashlimit --hashlimit-mode l srcip srcport dstip dstport
                    hashlimit --hashlimit-srcmask,--hashlimit-dstmask n 0 128
                    hashlimit --hashlimit-htable-size,--hashlimit-htable-max,--hashlimit-htable-expire,--hashlimit-htable-gcinterval,--hashlimit-rate-interval n 0 4294967295
                    time --timestart,--timestop x ([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9])?
                    time --weekdays l mo tu we th fr sa su mon tue wed thu fri sat sun 1 2 3 4 5 6 7
                    time --monthdays x ([1-9]|[12][0-9]|3[01])(st|nd|rd|th)?(,([1-9]|[12][0-9]|3[01])(st|nd|rd|th)?)*
                    MARK --set-mark,--set-xmark,--and-mark,--or-mark,--xor-mark m
                    CONNMARK --set-mark,--set-xmark,--and-mark,--or-mark,--xor-mark m
                    CONNMARK --nfmask,--ctmask,--mask n 0 4294967295
                    NFLOG --nflog-group,--nflog-threshold n 0 65535
                    NFLOG --nflog-size,--nflog-range n 0 4294967295
                    CLASSIFY --set-class x [0-9a-fA-F]{1,4}:[0-9a-fA-F]{1,4}
                    DSCP --set-dscp n 0 63
                    TTL --ttl-set n 0 255
                    TTL --ttl-dec,--ttl-inc n 1 255
                    HL --hl-set n 0 255
                    HL --hl-dec,--hl-inc n 1 255
                    TCPMSS --set-mss n 0 65515
                    NFQUEUE --queue-num n 0 65535
                    NFQUEUE --queue-balance x [0-9]{1,5}:[0-9]{1,5}
                    AUDIT --type w accept drop reject
                    SYNPROXY --mss n 0 65535
                    SYNPROXY --wscale n 0 14
                    TPROXY --on-port n 0 65535
                    TPROXY --tproxy-mark m
                    TPROXY --on-ip x [0-9a-fA-F.:]+
                    TEE --gateway x [0-9a-fA-F.:]+
                    IDLETIMER --timeout n 1 4294967295
                    MASQUERADE --to-ports x [0-9]{1,5}(-[0-9]{1,5})?
                    REDIRECT --to-ports x [0-9a-z-]+
                    DNAT --to-destination x [0-9a-fA-F.:\\[\\]-]*(:[0-9]{1,5}(-[0-9]{1,5})?(/[0-9]{1,5})?)?
                    SNAT --to-source x [0-9a-fA-F.:\\[\\]-]*(:[0-9]{1,5}(-[0-9]{1,5})?)?
                    NETMAP --to x [0-9a-fA-F.:]+(/[0-9a-fA-F.:]+)?
                    """);

    /** Options that matches and targets need: one of each group, whose members a bar parts. */
    private static final Map<String, List<String>> NEEDED =
            Map.ofEntries(
                    needs(
                            "hashlimit --hashlimit-name --hashlimit|--hashlimit-upto|--hashlimit-above"),
                    needs("string --algo --string|--hex-string"),
                    needs("connbytes --connbytes --connbytes-dir --connbytes-mode"),
                    needs("policy --dir"),
                    needs("osf --genre"),
                    needs("statistic --mode --probability|--every"),
                    needs("cluster --cluster-total-nodes --cluster-hash-seed"),
                    needs("MARK --set-mark|--set-xmark|--and-mark|--or-mark|--xor-mark"),
                    needs(
                            "CONNMARK --set-mark|--set-xmark|--and-mark|--or-mark|--xor-mark|--save-mark|--restore-mark"),
                    needs("CLASSIFY --set-class"),
                    needs("CHECKSUM --checksum-fill"),
                    needs("DSCP --set-dscp|--set-dscp-class"),
                    needs("TOS --set-tos|--and-tos|--or-tos|--xor-tos"),
                    needs("TTL --ttl-set|--ttl-dec|--ttl-inc"),
                    needs("HL --hl-set|--hl-dec|--hl-inc"),
                    needs("TCPMSS --set-mss|--clamp-mss-to-pmtu"),
                    needs("TEE --gateway"),
                    needs("SET --add-set|--del-set|--map-set"),
                    needs("IDLETIMER --timeout --label"),
                    needs("DNAT --to-destination"),
                    needs("SNAT --to-source"),
                    needs("NETMAP --to"),
                    needs("AUDIT --type"),
                    needs("TPROXY --on-port"),
                    needs("HMARK --hmark-mod --hmark-rnd"));

    /** Targets of whose needed options a rule has one alone. */
    private static final Set<String> ONE =
            Set.of("MARK", "CONNMARK", "DSCP", "TOS", "TTL", "HL", "TCPMSS");

    private ArgumentForms() {}

    private static Map<String, String[]> forms(String table) {
        Map<String, String[]> forms = new HashMap<>();
        for (String row : table.strip().split("\n", -1)) {
            String[] words = row.split(" ", -1);
            for (String option : words[1].split(",", -1)) {
                forms.put(words[0] + " " + option, words);
            }
        }
        return forms;
    }

    private static Map.Entry<String, List<String>> needs(String row) {
        List<String> words = List.of(row.split(" ", -1));
        return Map.entry(words.get(0), words.subList(1, words.size()));
    }

    /**
     * Refuses an argument that an option does not take.
     *
     * @param owner match or target
     */
    static void require(String owner, String option, Word value) throws RuleSyntaxException {
        String[] form = FORMS.get(owner + " " + option);
        if (form == null) {
            return;
        }
        switch (form[2]) {
            case "n" -> {
                if (value.number(Long.parseLong(form[4])) < Long.parseLong(form[3])) {
                    throw value.refused("is too little; write %s or more".formatted(form[3]));
                }
            }
            case "m" -> RuleWords.masked(value, 0xffffffffL);
            case "x" -> {
                if (!Pattern.matches(form[3], value.text())) {
                    throw value.refused("is no argument of " + option);
                }
            }
            case "p" -> {
                if (!NetworkNames.PROTOCOLS.containsKey(value.text())) {
                    value.number(0xff);
                }
            }
            default -> words(form, option, value);
        }
    }

    private static void words(String[] form, String option, Word value) throws RuleSyntaxException {
        List<String> known = List.of(form).subList(3, form.length);
        String text = value.text().toLowerCase(Locale.ROOT);
        List<String> given = form[2].equals("l") ? List.of(text.split(",", -1)) : List.of(text);
        if (!known.containsAll(given)) {
            throw value.refused(
                    "is no argument of %s; write %s".formatted(option, String.join(", ", known)));
        }
    }

    /**
     * Refuses a match or target without an option that it needs.
     *
     * @param by the word that names it
     */
    static void requireAll(String owner, Set<String> given, Word by) throws RuleSyntaxException {
        for (String group : NEEDED.getOrDefault(owner, List.of())) {
            Set<String> some = new HashSet<>(List.of(group.split("\\|", -1)));
            some.retainAll(given);
            if (some.isEmpty()) {
                throw by.refused("lacks an option; add " + group.replace("|", " or "));
            }
            if (some.size() > 1 && ONE.contains(owner)) {
                throw by.refused("has several of %s; keep one".formatted(some));
            }
        }
    }
}
