package dev.sluice.policy.cisco;

import java.util.regex.Pattern;

final class AsaFormat {
    private static final Pattern SIGN =
            Pattern.compile(
                    "(?m)^(: Saved|ASA Version |PIX Version )"
                            + "|^ *access-list \\S+ (line [0-9]+ )?(extended|webtype|ethertype) "
                            + "|^access-list \\S+; [0-9]+ elements"
                            + "|^access-group \\S+ (in|out|global)");

    private AsaFormat() {}

    static boolean isAsa(String begin) {
        return SIGN.matcher(begin).find();
    }
}
