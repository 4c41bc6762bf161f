import re,sys
for f in sys.argv[1:]:
    t=open(f).read()
    t=re.sub(r'<<<<<<< [^\n]*\n(.*?)=======\n.*?>>>>>>> [^\n]*\n',r'\1',t,flags=re.S)
    open(f,'w').write(t)
