import torch

s = f"{torch.tensor([1.5, 2.5])[0].item():.2f}"
print(s, len(s), s.rjust(8), s.ljust(8) + '|', s.center(8), s.zfill(7), s.partition('.'), s.rpartition('x'), s[::-1], s * 2)
print(s.strip('1'), s.rstrip('0'), s.lstrip('10.'), s.isdigit(), s.replace('.', '').isdigit(), s.count('.'), s.find('5'), s.rfind('9'), s.index('5'))
print(s.removesuffix('0'), s.removeprefix('1.'), 'a b'.join([s, s]), s.endswith('0'), s in '0 1.50', float(s))
text = str(torch.tensor([1.5, 2.5]))
parts = text.split(', ')
print(parts, len(parts), parts[0], parts[-1], text.split(), text.split('5', 1))
print(text.capitalize(), text.title(), text.swapcase(), text.isupper(), text.islower(), text.isalpha(), text.isalnum(), text.isspace())
