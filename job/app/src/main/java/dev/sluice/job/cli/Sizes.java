package dev.sluice.job.cli;

import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes in bytes: a number, perhaps with k, m or g behind it, in powers of 1024. */
public final class Sizes implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("0*[1-9]\\d{0,17}[kmgKMG]?");

    @Override
    public Long convert(String text) {
        if (!SIZE.matcher(text).matches()) {
            throw new TypeConversionException(
                    text + " is no size; write a number of bytes, or 512m or 2g");
        }
        String digits = text.replaceAll("[kmgKMG]$", "");
        int shift =
                switch (Character.toLowerCase(text.charAt(text.length() - 1))) {
                    case 'k' -> 10;
                    case 'm' -> 20;
                    case 'g' -> 30;
                    default -> 0;
                };
        long number = Long.parseLong(digits);
        if (number > Long.MAX_VALUE >> shift) {
            throw new TypeConversionException(text + " is beyond 8 EiB; write a smaller size");
        }
        return number << shift;
    }
}
